"""The prose of reports: what is filled in, and that none of it is left over."""

import inspect
from importlib import import_module
from pathlib import Path

import msgspec
import pytest

from inarow.studies.report import CurvePlot, Row, Section, Table, line
from inarow.studies.texts import Texts

PACKAGES = ("gupta_shah_2022", "harman", "kumbhakern_2025", "paranji_2025", "santos_2025")
TEXTS = Texts(
    name="dice",
    title="A die",
    source="A. Author, 2025",
    sections={"throws": Section(title="{count} throws", text=("They\n  are {kind}.", "{more}"))},
    tables={"means": Table("Means", note="Of {count:,} throws.")},
)


def test_fields_are_filled_in_and_line_breaks_are_spaces():
    section = TEXTS.section("throws", count=3, kind="fair", more="{Really}.")
    assert (section.title, section.text) == ("3 throws", ("They are fair.", "{Really}."))
    table = TEXTS.table("means", [Row("mean")], count=1000)
    assert table == Table("Means", (Row("mean"),), "Of 1,000 throws.")


def test_an_empty_paragraph_is_left_out_and_a_missing_field_is_an_error():
    assert TEXTS.section("throws", count=3, kind="fair", more="").text == ("They are fair.",)
    with pytest.raises(KeyError, match="more"):
        TEXTS.section("throws", count=3, kind="fair")


def test_curves_of_one_point_are_not_drawn():
    plots = {"means": CurvePlot("Means", "throws", "mean")}
    texts = msgspec.structs.replace(TEXTS, curves=plots)
    long = line("long", [(1.0, 2.0), (2.0, 3.0)])
    assert texts.curve_plot("means", [line("short", [(1.0, 2.0)]), None, long]).curves == (long,)


def test_misspelt_keys_are_refused():
    start = b'name = "dice"\ntitle = "A die"\nsource = "A. Author, 2025"\nsections = {}\n'
    assert msgspec.toml.decode(start + b'[tables.means]\ntitle = "Means"', type=Texts).tables["means"].title == "Means"
    with pytest.raises(msgspec.ValidationError, match="nots"):
        msgspec.toml.decode(start + b'[tables.means]\ntitle = "Means"\nnots = "a note"', type=Texts)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_text_is_used(package):
    module = import_module(f"inarow.studies.{package}.report")
    code = "".join(path.read_text(encoding="utf-8") for path in Path(inspect.getfile(module)).parent.glob("*.py"))
    for kind in ("sections", "tables", "curves", "bars", "labels", "sentences"):
        for name in getattr(module.TEXTS, kind):
            assert f'"{name}"' in code, (kind, name)
