import sys

from .convert import UnitError, convert, unit, write


def main(arguments):
    if len(arguments) < 2:
        print("usage: unitbox QUANTITY UNIT", file=sys.stderr)
        return 2
    try:
        value = convert(" ".join(arguments[:-1]), arguments[-1])
        print(write(value, unit(arguments[-1])))
    except UnitError as error:
        print(f"unitbox: {error}", file=sys.stderr)
        return 1
    return 0


sys.exit(main(sys.argv[1:]))
