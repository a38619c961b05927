defmodule CalcTest do
  use ExUnit.Case

  test "one" do
    assert Calc.add(1, 2) == 3
  end

  @tag timeout: :infinity
  test "two" do
    Process.sleep(:infinity)
  end
end
