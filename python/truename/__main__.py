"""The command `truename`, also run by `python -m truename`."""

import sys

from ._truename import _main


def main() -> int:
    """Run the command with the arguments of the process. Returns the exit code."""
    return _main(["truename", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
