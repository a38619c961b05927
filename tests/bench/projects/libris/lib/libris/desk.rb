# frozen_string_literal: true

module Libris
  # Lends books and takes them back.
  class Desk
    LOAN_DAYS = 28
    FETCH_DAYS = 7
    MOST_LOANS = 5

    Loan = Struct.new(:isbn, :member, :since, :due)
    # A place in the line; `ready` is the day since which a copy waits for the member.
    Reservation = Struct.new(:isbn, :member, :made, :ready)

    attr_reader :loans, :reservations, :owed

    def initialize(catalogue, opening: Opening.new)
      @catalogue = catalogue
      @opening = opening
      @fines = Fines.new(opening)
      @loans = []
      @reservations = []
      @owed = Hash.new(0)
    end

    def lend(isbn, member, today)
      book = find(isbn)
      expire(today)
      raise Error, "#{member} has #{MOST_LOANS} books already" if loans_of(member).size >= MOST_LOANS
      raise Error, "#{member} owes #{Fines.format(@owed[member])}" if @owed[member].positive?
      raise Error, "no copy for #{member}" unless available_for?(book, member)

      @reservations.reject! { |r| r.isbn == book.isbn && r.member == member }
      loan = Loan.new(book.isbn, member, today, @opening.next_open(today + LOAN_DAYS))
      @loans << loan
      loan
    end

    # Takes a book back, and returns the fine.
    def take_back(isbn, member, today)
      book = find(isbn)
      loan = @loans.find { |l| l.isbn == book.isbn && l.member == member }
      raise Error, "#{member} does not have it" unless loan

      @loans.delete(loan)
      fine = @fines.for(loan.due, today)
      @owed[member] += fine
      call_next(book, today)
      fine
    end

    # Another 28 days from the day it was due, unless somebody waits.
    def renew(isbn, member, today)
      book = find(isbn)
      loan = @loans.find { |l| l.isbn == book.isbn && l.member == member }
      raise Error, "#{member} does not have it" unless loan
      raise Error, "it is late already" if today > loan.due
      raise Error, "somebody waits for it" if @reservations.any? { |r| r.isbn == book.isbn }

      loan.due = @opening.next_open(loan.due + LOAN_DAYS)
    end

    def reserve(isbn, member, today)
      book = find(isbn)
      raise Error, "#{member} has reserved it" if @reservations.any? { |r| r.isbn == book.isbn && r.member == member }
      raise Error, "#{member} has it" if loans_of(member).any? { |l| l.isbn == book.isbn }

      reservation = Reservation.new(book.isbn, member, today, nil)
      @reservations << reservation
      call_next(book, today)
      reservation
    end

    def pay(member, cents)
      raise Error, "that is more than #{member} owes" if cents > @owed[member]

      @owed[member] -= cents
    end

    def loans_of(member)
      @loans.select { |loan| loan.member == member }
    end

    # Who waits for a book, in order.
    def line(isbn)
      normal = Isbn.normalise(isbn)
      @reservations.select { |r| r.isbn == normal }.map(&:member)
    end

    # Ends reservations that were not fetched in time, and calls the next in the line.
    def expire(today)
      expired, @reservations = @reservations.partition { |r| r.ready && today > r.ready + FETCH_DAYS }
      expired.each { |r| call_next(find(r.isbn), r.ready + FETCH_DAYS + 1) }
      expire(today) unless expired.empty?
      expired
    end

    private

    def find(isbn)
      @catalogue.by_isbn(isbn) || raise(Error, "not in the catalogue: #{isbn}")
    end

    def on_shelf(book)
      book.copies - @loans.count { |loan| loan.isbn == book.isbn }
    end

    # Copies that wait for somebody are for them alone.
    def available_for?(book, member)
      return true if @reservations.any? { |r| r.isbn == book.isbn && r.member == member && r.ready }

      on_shelf(book) > @reservations.count { |r| r.isbn == book.isbn && r.ready }
    end

    def call_next(book, today)
      waiting = @reservations.select { |r| r.isbn == book.isbn }
      free = on_shelf(book) - waiting.count(&:ready)
      waiting.reject(&:ready).first([free, 0].max).each { |r| r.ready = today }
    end
  end
end
