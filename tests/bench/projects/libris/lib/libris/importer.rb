# frozen_string_literal: true

require "csv"

module Libris
  # Reads the union catalogue's files.
  module Importer
    HEADER = %w[title author isbn copies].freeze

    module_function

    def read_file(path)
      read(File.binread(path))
    end

    # The books of a file's bytes. Rows with a wrong ISBN are left out; a block gets them.
    def read(bytes)
      rows = CSV.parse(to_text(bytes), col_sep: ";")
      header = (rows.shift || []).map { |name| name.to_s.strip.downcase }
      missing = HEADER - header
      raise Error, "columns are missing: #{missing.join(", ")}" unless missing.empty?

      rows.reject { |row| row.compact.empty? }.filter_map do |row|
        cells = header.zip(row.map { |cell| cell.to_s.strip }).to_h
        begin
          book(cells)
        rescue Isbn::Invalid => e
          yield cells, e.message if block_given?
          nil
        end
      end
    end

    def book(cells)
      copies = cells["copies"].to_s.empty? ? 1 : Integer(cells["copies"], 10)
      Book.new(cells["title"], cells["author"], Isbn.normalise(cells["isbn"]), copies)
    end

    # Bytes as text: UTF-8, with or without a mark, or else ISO-8859-1.
    def to_text(bytes)
      text = bytes.dup.force_encoding(Encoding::UTF_8)
      text = bytes.dup.force_encoding(Encoding::ISO_8859_1).encode(Encoding::UTF_8) unless text.valid_encoding?
      text.delete_prefix("\uFEFF")
    end
  end
end
