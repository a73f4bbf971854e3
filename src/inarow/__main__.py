"""`python -m inarow` is the command line."""

from inarow.interfaces.cli.app import main

if __name__ == "__main__":
    main()
