require "minitest/autorun"
require "calc"

class CalcTest < Minitest::Test
  def test_one
    assert_equal 2, add(1, 1)
  end

  def test_two
    assert_equal 4, add(1, 2)
  end
end
