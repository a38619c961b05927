# frozen_string_literal: true

module Libris
  # A title of which the library has copies.
  Book = Struct.new(:title, :author, :isbn, :copies) do
    def to_s
      "#{author}: #{title} (#{isbn})"
    end

    # What the shelf is sorted by: the author, then the title without its article.
    def shelf_key
      [author.downcase, title.downcase.sub(/\A(the|a|an|der|die|das|ein|eine) /, "")]
    end
  end
end
