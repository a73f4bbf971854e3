"""Kaggle submissions: from an agent string to one file that needs nothing of this package."""
