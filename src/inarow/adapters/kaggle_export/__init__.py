"""Kaggle submissions: from an agent string to a single file that does not need this package."""
