"""Numbers as people read them."""

from __future__ import annotations

from inarow.arena.statistics import Interval

MINUS = "\N{MINUS SIGN}"


def signed(number: int) -> str:
    """A score: `+3`, `0`, or with a true minus sign."""
    return f"{number:+d}".replace("-", MINUS) if number else "0"


def elo(number: float) -> str:
    return f"{number:.0f}".replace("-", MINUS)


def elo_interval(interval: Interval) -> str:
    return f"{elo(interval[0])} to {elo(interval[1])}"


def percent(share: float) -> str:
    return f"{share * 100:.1f} %"


def seconds(time: float) -> str:
    """A short time with its unit, to two digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if time >= size:
            return f"{time / size:.2g} {unit}" if time < 10 * size else f"{time / size:.0f} {unit}"
    return f"{time * 1e6:.2g} µs" if time < 1e-5 else f"{time * 1e6:.0f} µs"


def plain(number: float) -> str:
    """A number of any size to four digits, thousands apart; large ones whole."""
    text = f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.4g}"
    return text.replace("-", MINUS)


def compact(number: float) -> str:
    """A round number in little room: 20k, 3M."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if abs(number) >= size:
            return f"{number / size:.3g}{unit}".replace("-", MINUS)
    return plain(number)


def fixed(number: float, digits: int) -> str:
    """A number with so many digits after the point, thousands apart."""
    return f"{number:,.{digits}f}".replace("-", MINUS)
