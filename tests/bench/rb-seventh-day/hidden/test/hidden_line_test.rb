# frozen_string_literal: true

require "test_helper"

class HiddenLineTest < Minitest::Test
  include Sample

  def setup
    @desk = Libris::Desk.new(catalogue)
    @desk.lend(DARKNESS, "ann", march(1))
    %w[ben cyd dan].each { |name| @desk.reserve(DARKNESS, name, march(2)) }
    @desk.take_back(DARKNESS, "ann", march(5))
  end

  def refused(name, day)
    assert_raises(Libris::Error) { @desk.lend(DARKNESS, name, day) }
  end

  def test_seventh_day
    refused("cyd", march(12))
    @desk.lend(DARKNESS, "ben", march(12))
    assert_equal %w[cyd dan], @desk.line(DARKNESS)
  end

  def test_eighth_day
    refused("ben", march(13))
    @desk.lend(DARKNESS, "cyd", march(13))
    assert_equal %w[dan], @desk.line(DARKNESS)
  end

  def test_the_next_one_has_seven_days_too
    refused("dan", march(20))
    @desk.lend(DARKNESS, "cyd", march(20))
  end

  def test_and_not_eight
    refused("cyd", march(21))
    @desk.lend(DARKNESS, "dan", march(21))
  end

  def test_everybody_was_too_late
    @desk.expire(march(28))
    assert_equal %w[dan], @desk.line(DARKNESS)
    @desk.expire(march(29))
    assert_empty @desk.line(DARKNESS)
    @desk.lend(DARKNESS, "eve", march(29))
  end
end
