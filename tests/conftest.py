import signal

import pytest
from hypothesis import HealthCheck, settings

from tests import not_run

LONGEST = (
    "tests/workers/test_cluster.py",
    "tests/cli/test_cli.py",
)
"""Files that take longest, by measurement: they begin first, so that no worker is left alone with one at the end."""

settings.register_profile(
    "inarow", max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile("inarow")

# A shell starts background jobs with SIGINT ignored, and nohup ignores SIGHUP. Programs inherit that, so tests that
# send these signals would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """With several workers, the tests of a file run on one of them: what they share is made and loaded once."""
    if not hasattr(config, "workerinput"):
        return
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(f"{item.path.parent.name}/{item.path.stem}"))
    order = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.nodeid.partition("::")[0], len(LONGEST)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    not_run.skip_for_missing_package(report, call.excinfo and call.excinfo.value)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    call = getattr(report, "call", None)
    not_run.skip_for_missing_package(report, call and call.excinfo and call.excinfo.value)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)  # around all others: these lines are the last
def pytest_terminal_summary(terminalreporter, config):
    yield
    if hasattr(config, "workerinput"):
        return
    lines = not_run.with_earlier_runs(not_run.summary(terminalreporter.stats.get("skipped", [])))
    if lines:
        terminalreporter.write_sep("=", "NOT RUN", yellow=True, bold=True)
        for line in lines:
            terminalreporter.write_line(line, yellow=True, bold=True)


@pytest.fixture
def forgotten_registrations(monkeypatch):
    """What a test registers is forgotten after it."""
    from inarow import plugins
    from inarow.agents import registry
    from inarow.learning import learner
    from inarow.learning.exploration import rules
    from inarow.search.minimax import heuristics
    from inarow.search.tree import parts
    from inarow.studies import catalogue

    registries = (
        (plugins, "_registrations"),
        (registry, "_registered"),
        (learner, "_registered"),
        (rules, "_factories"),
        (heuristics, "_FACTORIES"),
        (parts, "_rules"),
        (parts, "_leaves"),
        (catalogue, "_registered"),
    )
    for module, name in registries:
        monkeypatch.setattr(module, name, dict(getattr(module, name)))
    yield
    for cached in (registry.registry, registry.parse_agent, registry._canonical_name):
        cached.cache_clear()
