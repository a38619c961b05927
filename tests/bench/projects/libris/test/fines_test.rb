# frozen_string_literal: true

require "test_helper"

class FinesTest < Minitest::Test
  include Sample

  def setup
    @fines = Libris::Fines.new(Libris::Opening.new([Date.new(2024, 3, 29)]))
  end

  def test_in_time
    assert_equal 0, @fines.for(march(8), march(1))
    assert_equal 0, @fines.for(march(8), march(8))
  end

  def test_late
    assert_equal 20, @fines.for(march(7), march(8))
    assert_equal 60, @fines.for(march(5), march(8))
  end

  def test_closed_days_are_free
    # Saturday to Tuesday, with Sunday and Monday between
    assert_equal 20, @fines.for(march(9), march(12))
    # the 29th is a holiday
    assert_equal 20, @fines.for(march(28), march(30))
  end

  def test_at_most
    assert_equal 500, @fines.for(Date.new(2023, 12, 1), march(1))
  end

  def test_format
    assert_equal "5.00", Libris::Fines.format(500)
    assert_equal "0.20", Libris::Fines.format(20)
  end
end
