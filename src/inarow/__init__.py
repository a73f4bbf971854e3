"""A laboratory for k-in-a-row games: Connect Four, ConnectX, Tic Tac Toe.

This module is the whole public API; `__init__.pyi` lists its names. They are loaded on first use, so that importing
the package is fast and compiles nothing. The packages, in the order of their dependencies:

storage    atomic writes, locks, journals, array files
workers    tasks on local processes or on a Ray cluster
games      the rules: spec, position, notation, compiled kernels
search     the exact solver, opening books, minimax, Monte Carlo tree search
learning   tabular and deep Q-learning, exploration, AlphaZero
agents     one interface for everything that plays, and the registry of agent strings
arena      games, matches, tournaments, grades, statistics, the results store
studies    published systems as their authors ran them
report     boards, plots, tables and pages
cli, web, engine, adapters, notebook   the front ends, none of which imports another
"""

import lazy_loader

from inarow.version import __version__ as __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
