# frozen_string_literal: true

module Libris
  # All books, to be searched.
  class Catalogue
    include Enumerable

    def initialize(books = [])
      @books = {}
      books.each { |book| add(book) }
    end

    # Adds a book; more copies of one that is there already are added to it.
    def add(book)
      known = @books[book.isbn]
      if known
        known.copies += book.copies
      else
        @books[book.isbn] = book.dup
      end
    end

    def each(&block)
      @books.values.sort_by(&:shelf_key).each(&block)
    end

    def by_isbn(text)
      @books[Isbn.normalise(text)]
    rescue Isbn::Invalid
      nil
    end

    # Books with every word in their title or author, whatever the case and the accents.
    def find(words)
      wanted = fold(words).split
      return [] if wanted.empty?

      select do |book|
        text = fold("#{book.title} #{book.author}")
        wanted.all? { |word| text.include?(word) }
      end
    end

    private

    def fold(text)
      text.unicode_normalize(:nfd).gsub(/\p{Mn}/, "").downcase.gsub("ß", "ss")
    end
  end
end
