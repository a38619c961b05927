"""The command line."""

import argparse
import sys

from . import columns, reader, slug, table, wrap


def parser():
    top = argparse.ArgumentParser(prog="textmill")
    commands = top.add_subparsers(dest="command", required=True)
    cut = commands.add_parser("columns", help="only these columns of a file")
    cut.add_argument("file")
    cut.add_argument("names", nargs="+")
    show = commands.add_parser("table", help="a file as a table")
    show.add_argument("file")
    show.add_argument("--sort")
    fill = commands.add_parser("wrap", help="a text with its paragraphs wrapped")
    fill.add_argument("file")
    fill.add_argument("--width", type=int, default=72)
    name = commands.add_parser("slug", help="a name for a file")
    name.add_argument("text")
    return top


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main(arguments=None, out=None):
    out = out or sys.stdout
    asked = parser().parse_args(arguments)
    try:
        if asked.command == "columns":
            chosen = columns.select(reader.read_records(read(asked.file)), asked.names)
            for record in chosen:
                print("\t".join(record.values()), file=out)
        elif asked.command == "table":
            records = reader.read_records(read(asked.file))
            if asked.sort:
                records = columns.sort(records, asked.sort)
            print("\n".join(table.render(records)), file=out)
        elif asked.command == "wrap":
            out.write(wrap.wrap_text(reader.decode(read(asked.file)), asked.width))
        else:
            print(slug.slug(asked.text), file=out)
    except (OSError, ValueError, KeyError) as error:
        print(f"textmill: {error}", file=sys.stderr)
        return 1
    return 0
