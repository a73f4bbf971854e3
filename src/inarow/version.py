"""The version of inarow: the build and all packages read it here."""

__version__ = "0.1.0"
