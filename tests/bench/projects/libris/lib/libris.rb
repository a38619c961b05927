# frozen_string_literal: true

# The lending desk of a village library.
module Libris
  class Error < StandardError; end
end

require "libris/isbn"
require "libris/book"
require "libris/importer"
require "libris/catalogue"
require "libris/opening"
require "libris/fines"
require "libris/desk"
