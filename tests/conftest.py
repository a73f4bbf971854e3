import signal

import pytest
from hypothesis import HealthCheck, settings

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
