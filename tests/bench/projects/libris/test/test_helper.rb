# frozen_string_literal: true

require "minitest/autorun"
require "libris"

module Sample
  DARKNESS = "9780441478125"
  MOMO = "9783522202558"

  def catalogue
    Libris::Catalogue.new(
      [
        Libris::Book.new("The Left Hand of Darkness", "Le Guin, Ursula K.", DARKNESS, 1),
        Libris::Book.new("Momo", "Ende, Michael", MOMO, 2)
      ]
    )
  end

  # A day of March 2024; the 1st is a Friday.
  def march(day)
    Date.new(2024, 3, day)
  end
end
