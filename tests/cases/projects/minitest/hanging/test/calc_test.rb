require "minitest/autorun"
require "calc"

class CalcTest < Minitest::Test
  def test_one
    assert_equal 2, add(1, 1)
  end

  def test_two
    sleep 10_000
  end
end
