"""A quantum draw as an OpenQASM 3 program, in gates of its standard library: x, h, ry, cx, ccx, and x with more
controls on registers of more than three qubits. Needs no quantum library.
"""

from collections.abc import Iterable, Iterator

from inarow.learning.exploration.register import Gate, Register, multiplexed_gates, step_gates


def qasm_program(register: Register, m: int, comments: Iterable[str] = ()) -> str:
    """The program of a draw with m steps. Qubit q is measured to bit q: as a number, the i-th legal action is i."""
    preparation = multiplexed_gates(register)
    lines = ["OPENQASM 3.0;", 'include "stdgates.inc";', *(f"// {comment}" for comment in comments)]
    lines += [f"qubit[{register.qubits}] q;", f"bit[{register.qubits}] c;", "// the state of the policy"]
    lines += _statements(preparation)
    for step in range(1, m + 1):
        lines += [f"// step {step} of amplification", *_statements(step_gates(register, preparation))]
    return "\n".join([*lines, "c = measure q;"]) + "\n"


def _statements(gates: Iterable[Gate]) -> Iterator[str]:
    for gate in gates:
        inverted = [control for control, value in zip(gate.controls, gate.values, strict=True) if not value]
        flips = [f"x q[{qubit}];" for qubit in inverted]
        turns = [f"h q[{gate.target}];"] if gate.kind == "z" else []  # z = h x h
        yield from (*flips, *turns, _statement(gate), *turns, *flips)


def _statement(gate: Gate) -> str:
    """The gate itself, with z as x."""
    if gate.kind == "ry":
        assert not gate.controls
        return f"ry({gate.angle!r}) q[{gate.target}];"
    count = len(gate.controls)
    name = {0: "x", 1: "cx", 2: "ccx"}.get(count, f"ctrl({count}) @ x")
    return f"{name} {', '.join(f'q[{qubit}]' for qubit in (*gate.controls, gate.target))};"
