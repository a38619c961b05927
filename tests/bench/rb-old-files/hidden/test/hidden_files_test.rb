# frozen_string_literal: true

require "test_helper"

require "tempfile"

class HiddenFilesTest < Minitest::Test
  TEXT = "title;author;isbn;copies\nDie Möwe;Čechov;978-3-16-148410-0;2\n"
  OLD = "title;author;isbn;copies\nDie Möwe – nein, Möwe;Rößler, André;978-3-16-148410-0;2\n".tr("–", "-")

  def read(bytes)
    Libris::Importer.read(bytes)
  end

  def test_old
    book = read(OLD.encode("ISO-8859-1").b).first
    assert_equal "Die Möwe - nein, Möwe", book.title
    assert_equal "Rößler, André", book.author
    assert_equal Encoding::UTF_8, book.title.encoding
    assert book.title.valid_encoding?
  end

  def test_new
    assert_equal ["Die Möwe", "Čechov"], read(TEXT.b).first.to_a.first(2)
    assert_equal "Die Möwe", read("\uFEFF#{TEXT}".b).first.title
    assert_equal "Die Möwe", read(TEXT).first.title
  end

  def test_bytes_are_left_alone
    bytes = OLD.encode("ISO-8859-1").b.freeze
    read(bytes)
    assert_equal Encoding::BINARY, bytes.encoding
  end

  def test_search
    catalogue = Libris::Catalogue.new(read(OLD.encode("ISO-8859-1").b))
    assert_equal 1, catalogue.find("möwe andre").size
  end

  def test_files
    Tempfile.create("old") do |file|
      file.binmode
      file.write(OLD.encode("ISO-8859-1").b)
      file.close
      assert_equal "Rößler, André", Libris::Importer.read_file(file.path).first.author
    end
  end

  def test_empty
    assert_raises(Libris::Error) { read("".b) }
  end
end
