"""The work of `inarow bench` by peers: OpenSpiel, BitBully, Qiskit on Aer, C. Used from a clone; not in the wheel."""

from inarow_peers.peers import bitbully_scores as bitbully_scores
from inarow_peers.peers import find_peer as find_peer
