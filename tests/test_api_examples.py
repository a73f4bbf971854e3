"""Every public name has an example in the reference, and each of them runs."""

import doctest
import re
from pathlib import Path

import pytest

import inarow

PAGE = Path(__file__).parents[1] / "tools" / "docs" / "api_examples.md"
EXAMPLES = dict(
    re.findall(r"^## (\w+)\n\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
)


def test_every_public_name_has_an_example():
    assert set(EXAMPLES) == set(inarow.__all__)


@pytest.mark.usefixtures("forgotten_registrations")
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(EXAMPLES[name], {"inarow": inarow}, name, str(PAGE), 0)
    assert test.examples
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append)
    assert result.failed == 0, "".join(said)
