"""Doors to other ecosystems: Gymnasium, PettingZoo, OpenSpiel, Kaggle. Each file needs its own package only."""
