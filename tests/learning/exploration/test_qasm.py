"""OpenQASM 3 programs, run by a small interpreter and by Qiskit, against the closed form."""

import re
import warnings

import numpy as np
import pytest

from inarow.learning.exploration.qasm import qasm_program
from inarow.learning.exploration.register import lay_out
from inarow.learning.exploration.theory import amplified

GATES = {"x": np.array([[0, 1], [1, 0]]), "h": np.array([[1, 1], [1, -1]]) / np.sqrt(2)}


def run(program):
    """The probabilities of basis states at the measurement, qubit by qubit."""
    state = np.ones(1)
    for line in program.splitlines()[2:]:
        if line.startswith("//"):
            continue
        if found := re.fullmatch(r"qubit\[(\d+)\] q;", line):
            state = np.zeros(2 ** int(found[1]))
            state[0] = 1
        elif found := re.fullmatch(r"(x|h|cx|ccx|ry\((.*)\)|ctrl\((\d+)\) @ x) (q\[.*)", line):
            *controls, target = (int(qubit) for qubit in re.findall(r"q\[(\d+)\]", found[4]))
            assert len(controls) == {"cx": 1, "ccx": 2}.get(found[1], int(found[3] or 0))
            matrix = GATES.get(found[1], GATES["x"])
            if found[2]:
                cos, sin = np.cos(float(found[2]) / 2), np.sin(float(found[2]) / 2)
                matrix = np.array([[cos, -sin], [sin, cos]])
            before = state.copy()
            for place in range(len(state)):
                if all(place >> control & 1 for control in controls):
                    bit = place >> target & 1
                    state[place] = sum(
                        matrix[bit, value] * before[place & ~(1 << target) | value << target] for value in (0, 1)
                    )
        else:
            assert re.fullmatch(r"bit\[\d+\] c;|c = measure q;", line), line
    return state**2


def case(columns, seed):
    rng = np.random.default_rng(seed)
    legal = sorted(rng.choice(columns, max(1, columns - 1), replace=False).tolist())
    probabilities = np.zeros(columns)
    probabilities[legal] = rng.dirichlet(np.ones(len(legal)))
    flags = sum(1 << action for action in legal[::3])
    return probabilities, sum(1 << action for action in legal), flags


@pytest.mark.parametrize("columns", [2, 3, 7, 9, 16, 20])
@pytest.mark.parametrize("m", [0, 1, 3])
def test_programs_measure_the_actions_of_the_closed_form(columns, m):
    probabilities, legal, flags = case(columns, columns)
    register = lay_out(probabilities, legal, flags)
    program = qasm_program(register, m, ["a comment"])
    found = register.by_action(run(program), columns)
    assert found == pytest.approx(amplified(probabilities, flags, m), abs=1e-9)
    assert program.startswith('OPENQASM 3.0;\ninclude "stdgates.inc";\n// a comment\n')


@pytest.mark.parametrize("columns", [3, 7, 9])
def test_qiskit_reads_programs(columns):
    """Its native parser knows the gates of registers of up to three qubits."""
    qasm3 = pytest.importorskip("qiskit.qasm3", reason="the extra `quantum` is not installed")
    from qiskit.quantum_info import Statevector

    probabilities, legal, flags = case(columns, 5)
    program = qasm_program(lay_out(probabilities, legal, flags), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # this parser is experimental
        circuit = qasm3.loads_experimental(program)
    counts = circuit.count_ops()
    assert counts.pop("measure") == circuit.num_qubits == circuit.num_clbits
    circuit.remove_final_measurements()
    found = Statevector(circuit).probabilities()
    assert found == pytest.approx(run(program), abs=1e-12)
