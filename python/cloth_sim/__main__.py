"""The command `cloth-sim`."""

import signal
import sys

from cloth_sim import _core


def main() -> None:
    """Runs the command line of this process, and ends it with the exit code of the program."""
    # The program waits for signals itself where it must end in order.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_core.main(["cloth-sim", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
