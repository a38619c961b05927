defmodule CalcTest do
  use ExUnit.Case

  test "one" do
    assert Calc.add(1, 2) == 3
  end

  test "two" do
    assert Calc.add(2, 3) == 6
  end
end
