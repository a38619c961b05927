# frozen_string_literal: true

require "test_helper"

class CatalogueTest < Minitest::Test
  include Sample

  def test_order
    assert_equal ["Momo", "The Left Hand of Darkness"], catalogue.map(&:title)
  end

  def test_by_isbn
    assert_equal "Momo", catalogue.by_isbn("978-3-522-20255-8").title
    assert_nil catalogue.by_isbn("nonsense")
  end

  def test_find
    assert_equal ["Momo"], catalogue.find("momo ENDE").map(&:title)
    assert_empty catalogue.find("  ")
    books = Libris::Catalogue.new([Libris::Book.new("Große Fuge", "Müller", Sample::MOMO, 1)])
    assert_equal 1, books.find("grosse muller").size
  end

  def test_more_copies
    all = catalogue
    all.add(Libris::Book.new("Momo", "Ende, Michael", Sample::MOMO, 3))
    assert_equal 5, all.by_isbn(Sample::MOMO).copies
  end
end
