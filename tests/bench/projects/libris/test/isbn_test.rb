# frozen_string_literal: true

require "test_helper"

class IsbnTest < Minitest::Test
  Isbn = Libris::Isbn

  def test_thirteen
    assert_equal "9783161484100", Isbn.normalise("978-3-16-148410-0")
    assert_equal "9783161484100", Isbn.normalise("ISBN: 978 3 16 148410 0")
  end

  def test_ten
    assert_equal "9780441478125", Isbn.normalise("0-441-47812-3")
    assert_equal "0441478123", Isbn.to_ten("9780441478125")
    assert_nil Isbn.to_ten("979-10-90636-07-1")
  end

  def test_ten_with_an_x
    assert_equal "9780804429573", Isbn.normalise("0-8044-2957-x")
    assert_equal "080442957X", Isbn.to_ten("9780804429573")
  end

  def test_invalid
    ["978-3-16-148410-1", "0-441-47812-4", "12345", "", "X-441-47812-3"].each do |text|
      refute Isbn.valid?(text), text
    end
  end
end
