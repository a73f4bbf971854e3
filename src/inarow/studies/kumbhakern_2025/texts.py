"""The texts of the report of kumbhakern-2025."""

from inarow.studies.texts import load_texts

TEXTS = load_texts(__package__)
