# frozen_string_literal: true

require "test_helper"

class HiddenNumbersTest < Minitest::Test
  Isbn = Libris::Isbn

  def test_x
    ["0-8044-2957-X", "080442957x", "ISBN 0 8044 2957 X"].each do |text|
      assert_equal "9780804429573", Isbn.normalise(text)
    end
    assert_equal "080442957X", Isbn.to_ten("9780804429573")
    assert_equal "X", Isbn.check10("080442957")
  end

  def test_x_must_be_right
    ["0-441-47812-X", "123456789-1", "X80442957X", "08044X957X", "0-8044-2957-0", "0-8044-2957-1", "0-8044-2957-10", "080442957XX"].each do |text|
      refute Isbn.valid?(text), text
    end
  end

  def test_every_check_digit
    seen = (0...200).map do |n|
      base = format("0804%05d", n)
      digit = Isbn.check10(base)
      sum = "#{base}#{digit}".each_char.with_index.sum { |d, i| (d == "X" ? 10 : d.to_i) * (10 - i) }
      assert_equal 0, sum % 11, base
      assert_equal base + digit, Isbn.to_ten(Isbn.normalise(base + digit))
      digit
    end
    assert_equal 11, seen.uniq.size
  end

  def test_import
    rows = "title;author;isbn;copies\nA;B;0-8044-2957-X;1\nC;D;0-441-47812-3;1\nE;F;0-441-47812-X;1\n"
    assert_equal %w[A C], Libris::Importer.read(rows.b).map(&:title)
    assert_equal "A", Libris::Catalogue.new(Libris::Importer.read(rows.b)).by_isbn("080442957x").title
  end
end
