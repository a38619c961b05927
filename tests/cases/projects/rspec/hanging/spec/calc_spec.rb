require "calc"

RSpec.describe "add" do
  it "adds one" do
    expect(add(1, 1)).to eq(2)
  end

  it "adds two" do
    sleep 10_000
  end
end
