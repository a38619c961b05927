require "calc"

RSpec.describe "add" do
  it "adds one" do
    expect(add(1, 1)).to eq(2)
  end

  it "adds two" do
    expect(add(1, 2)).to eq(3)
  end
end
