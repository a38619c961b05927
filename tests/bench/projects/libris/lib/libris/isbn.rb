# frozen_string_literal: true

module Libris
  # International Standard Book Numbers, of ten and of thirteen digits.
  module Isbn
    class Invalid < Error; end

    module_function

    # The thirteen digits of a number however it is written; a number of ten digits is converted.
    def normalise(text)
      digits = text.to_s.upcase.gsub(/[\s\-–]/, "").delete_prefix("ISBN").delete_prefix(":")
      case digits
      when /\A\d{9}[\dX]\z/
        raise Invalid, "wrong check digit: #{text}" unless check10(digits[0, 9]) == digits[9]

        base = "978#{digits[0, 9]}"
        base + check13(base)
      when /\A97[89]\d{10}\z/
        raise Invalid, "wrong check digit: #{text}" unless check13(digits[0, 12]) == digits[12]

        digits
      else
        raise Invalid, "not an ISBN: #{text}"
      end
    end

    # The check digit of nine digits; ten is written as X.
    def check10(digits)
      sum = digits.each_char.with_index.sum { |d, n| d.to_i * (10 - n) }
      rest = (11 - sum % 11) % 11
      rest == 10 ? "X" : rest.to_s
    end

    # The check digit of twelve digits.
    def check13(digits)
      sum = digits.each_char.with_index.sum { |d, n| d.to_i * (n.even? ? 1 : 3) }
      ((10 - sum % 10) % 10).to_s
    end

    # The number of ten digits, or nil for those that have none (979).
    def to_ten(isbn)
      plain = normalise(isbn)
      return nil unless plain.start_with?("978")

      plain[3, 9] + check10(plain[3, 9])
    end

    def valid?(text)
      normalise(text)
      true
    rescue Invalid
      false
    end
  end
end
