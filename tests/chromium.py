"""The browser of the browser tests."""

import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
ABSENT = "chromium is absent; `make browser` installs it (as root, with apt-get)"
