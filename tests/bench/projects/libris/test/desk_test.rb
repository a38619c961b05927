# frozen_string_literal: true

require "test_helper"

class DeskTest < Minitest::Test
  include Sample

  def setup
    @desk = Libris::Desk.new(catalogue)
  end

  def test_lend
    loan = @desk.lend("0-441-47812-3", "ann", march(1))
    assert_equal march(29), loan.due
    assert_raises(Libris::Error) { @desk.lend(DARKNESS, "ben", march(1)) }
  end

  def test_due_on_an_open_day
    assert_equal Date.new(2024, 4, 2), @desk.lend(MOMO, "ann", march(3)).due
  end

  def test_fine
    @desk.lend(DARKNESS, "ann", march(1))
    assert_equal 20, @desk.take_back(DARKNESS, "ann", march(30))
    error = assert_raises(Libris::Error) { @desk.lend(DARKNESS, "ann", march(30)) }
    assert_equal "ann owes 0.20", error.message
    @desk.pay("ann", 20)
    @desk.lend(DARKNESS, "ann", march(30))
  end

  def test_renew
    @desk.lend(DARKNESS, "ann", march(1))
    assert_equal Date.new(2024, 4, 26), @desk.renew(DARKNESS, "ann", march(20))
    @desk.reserve(DARKNESS, "ben", march(21))
    assert_raises(Libris::Error) { @desk.renew(DARKNESS, "ann", march(22)) }
  end

  def test_line
    @desk.lend(DARKNESS, "ann", march(1))
    @desk.reserve(DARKNESS, "ben", march(2))
    @desk.reserve(DARKNESS, "cyd", march(2))
    assert_equal %w[ben cyd], @desk.line(DARKNESS)
    @desk.take_back(DARKNESS, "ann", march(5))
    assert_raises(Libris::Error) { @desk.lend(DARKNESS, "cyd", march(6)) }
    @desk.lend(DARKNESS, "ben", march(12))
    assert_equal %w[cyd], @desk.line(DARKNESS)
  end

  def test_reservation_that_is_not_fetched
    @desk.lend(DARKNESS, "ann", march(1))
    @desk.reserve(DARKNESS, "ben", march(2))
    @desk.reserve(DARKNESS, "cyd", march(2))
    @desk.take_back(DARKNESS, "ann", march(5))
    @desk.lend(DARKNESS, "cyd", march(13))
    assert_empty @desk.line(DARKNESS)
  end

  def test_most_loans
    many = Libris::Catalogue.new([Libris::Book.new("Momo", "Ende", MOMO, 9)])
    desk = Libris::Desk.new(many)
    5.times { desk.lend(MOMO, "ann", march(1)) }
    assert_raises(Libris::Error) { desk.lend(MOMO, "ann", march(1)) }
  end
end
