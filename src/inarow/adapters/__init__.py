"""Gymnasium, PettingZoo, OpenSpiel and Kaggle. Each file needs only its own package."""
