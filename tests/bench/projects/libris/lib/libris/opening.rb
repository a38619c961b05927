# frozen_string_literal: true

require "date"

module Libris
  # The days on which the library is open.
  class Opening
    CLOSED_WEEKDAYS = [0, 1].freeze # Sunday, Monday

    def initialize(holidays = [])
      @holidays = holidays
    end

    def open?(day)
      !CLOSED_WEEKDAYS.include?(day.wday) && !@holidays.include?(day)
    end

    # Open days after the first day, up to and including the last.
    def days_between(first, last)
      ((first + 1)..last).count { |day| open?(day) }
    end

    # The day itself if it is open, else the next open one.
    def next_open(day)
      day += 1 until open?(day)
      day
    end
  end
end
