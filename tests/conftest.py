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
def forgotten_parts(monkeypatch):
    """Heuristics, selection rules and leaf evaluators that a test registers are forgotten after it."""
    from inarow import plugins
    from inarow.agents import registry
    from inarow.search.minimax import heuristics
    from inarow.search.tree import parts

    known = ((heuristics, "_FACTORIES"), (parts, "_rules"), (parts, "_leaves"), (plugins, "_registrations"))
    for module, name in known:
        monkeypatch.setattr(module, name, dict(getattr(module, name)))
    yield
    for cached in (registry.parse_agent, registry._canonical_name):
        cached.cache_clear()
