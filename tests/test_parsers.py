"""Garbage for every parser of `fuzz/`, a little in every run of the tests; `make fuzz` has millions."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tools.fuzz.parsers import agents, net_metadata, study_results, toml
from tools.fuzz.parsers import settings as settings_target
from tools.fuzz.run import changed
from tools.fuzz.targets import TARGETS

targets = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)


@targets
@given(data=st.data())
@settings(max_examples=40)
def test_garbage_is_reported_as_an_error_of_inarow(target, data):
    kind = st.binary(max_size=200) | st.text(max_size=100).map(lambda text: text.encode("utf-8", "surrogatepass"))
    pieces = st.lists(
        st.sampled_from([*target.seeds, *target.words, b"9" * 5000, b"\n", b"[" * 3000]) | kind, max_size=5
    )
    target.parse(b"".join(data.draw(pieces)))


@targets
def test_a_changed_text_is_reported_as_an_error_of_inarow(target):
    chance = random.Random(target.name)
    for _ in range(100):
        target.parse(changed(chance.choice(target.seeds), target.words, chance))


@targets
def test_the_seeds_are_understood(target):
    for seed in target.seeds:
        target.parse(seed)


def test_what_fuzzing_found_stays_mended():
    agents(b"mcts:simulations=\xb4")
    study_results(b'{"experiment":{"study":"dice","name\xff":"die"}}\n')
    net_metadata(b'{"config":' + b"[" * 5000)
    for text in (b"1" + b"9" * 5000, b"[" * 20_000):
        settings_target(b"seed=" + text)
        toml(b"seed = " + text)
