# frozen_string_literal: true

require "test_helper"

class HiddenRenewalTest < Minitest::Test
  include Sample

  def setup
    @desk = Libris::Desk.new(catalogue)
    @loan = @desk.lend(DARKNESS, "ann", march(1))
  end

  def test_early
    assert_equal Date.new(2024, 4, 26), @desk.renew(DARKNESS, "ann", march(20))
    assert_equal Date.new(2024, 4, 26), @loan.due
  end

  def test_on_the_day_of_the_loan
    assert_equal Date.new(2024, 4, 26), @desk.renew(DARKNESS, "ann", march(1))
  end

  def test_on_the_last_day
    assert_equal Date.new(2024, 4, 26), @desk.renew(DARKNESS, "ann", march(29))
  end

  def test_twice
    @desk.renew(DARKNESS, "ann", march(2))
    assert_equal Date.new(2024, 5, 24), @desk.renew(DARKNESS, "ann", march(3))
  end

  def test_open_days
    desk = Libris::Desk.new(catalogue, opening: Libris::Opening.new([Date.new(2024, 4, 26)]))
    desk.lend(DARKNESS, "ann", march(1))
    assert_equal Date.new(2024, 4, 27), desk.renew(DARKNESS, "ann", march(20))
    desk.lend(MOMO, "ben", march(2))
    assert_equal Date.new(2024, 3, 30), desk.loans_of("ben").first.due
  end

  def test_late
    assert_raises(Libris::Error) { @desk.renew(DARKNESS, "ann", march(30)) }
    assert_equal march(29), @loan.due
  end

  def test_somebody_waits
    @desk.reserve(DARKNESS, "ben", march(21))
    assert_raises(Libris::Error) { @desk.renew(DARKNESS, "ann", march(22)) }
  end
end
