import signal

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
