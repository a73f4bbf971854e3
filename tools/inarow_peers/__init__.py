"""Benchmarks of `inarow bench` by other programs: OpenSpiel, BitBully, Qiskit on Aer, C. Not in the wheel."""

from inarow_peers.peers import bitbully_scores as bitbully_scores
from inarow_peers.peers import find_peer as find_peer
