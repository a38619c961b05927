# frozen_string_literal: true

require "test_helper"

class ImporterTest < Minitest::Test
  HEADER = "title;author;isbn;copies\n"

  def titles(bytes)
    Libris::Importer.read(bytes).map(&:title)
  end

  def test_file
    path = File.join(__dir__, "..", "data", "catalogue.csv")
    books = Libris::Importer.read_file(path)
    assert_equal [2, 3, 1], books.map(&:copies)
    assert_equal "Ficciones; und andere", books.last.title
  end

  def test_encodings
    row = "Die Möwe;Tschechow, Anton;978-3-16-148410-0;\n"
    assert_equal ["Die Möwe"], titles((HEADER + row).b)
    assert_equal ["Die Möwe"], titles("\uFEFF#{HEADER}#{row}".b)
    assert_equal ["Die Möwe"], titles((HEADER + row).encode("ISO-8859-1").b)
  end

  def test_wrong_numbers
    left_out = []
    books = Libris::Importer.read("#{HEADER}A;B;123;1\n\nC;D;978-3-16-148410-0;2\n".b) { |row, why| left_out << [row["title"], why] }
    assert_equal ["C"], books.map(&:title)
    assert_equal [["A", "not an ISBN: 123"]], left_out
  end

  def test_missing_columns
    error = assert_raises(Libris::Error) { titles("title;isbn\n") }
    assert_equal "columns are missing: author, copies", error.message
  end
end
