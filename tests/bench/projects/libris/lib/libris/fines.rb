# frozen_string_literal: true

module Libris
  # What late books cost.
  class Fines
    PER_DAY = 20
    MOST = 500

    def initialize(opening = Opening.new)
      @opening = opening
    end

    # Cents for a book that was due on one day and came back on another.
    def for(due, returned)
      [@opening.days_between(due, returned) * PER_DAY, MOST].min
    end

    # Cents for loans that are still out, on a day.
    def outstanding(loans, today)
      loans.sum { |loan| self.for(loan.due, today) }
    end

    def self.format(cents)
      Kernel.format("%d.%02d", cents / 100, cents % 100)
    end
  end
end
