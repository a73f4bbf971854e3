"""Table 2 of gupta-shah-2022, scores on Kaggle, beside ratings from our matches."""

from __future__ import annotations

from statistics import fmean

from inarow.arena.ratings import Rating, Ratings
from inarow.studies.comparison import Estimate
from inarow.studies.experiment import VARIANTS
from inarow.studies.gupta_shah_2022.pooled import rate_players, rate_published
from inarow.studies.gupta_shah_2022.published import PLAYERS, TITLES, published
from inarow.studies.report import Row, Section, Table
from inarow.studies.results import Results

_NOTE = (
    "Ours are Elo from the fair matches, moved so that their mean is that of the published scores; intervals are"
    " against this mean. Kaggle's scores have another scale and came from games against all who took part: compare the"
    " orders."
)


def ratings_section(results: Results) -> Section:
    """Without a table if no variant has all its matches."""
    rated = [rate_players(results, variant) for variant in VARIANTS]
    rows = [
        Row(
            label=TITLES[player],
            published=published().table_2[player],
            as_published=_estimate(rated[0], player),
            corrected=_estimate(rated[1], player),
            digits=0,
        )
        for player in PLAYERS
    ]
    texts = [
        _order_text(f"our ratings, {variant}", ratings)
        for variant, ratings in zip(VARIANTS, rated, strict=True)
        if ratings is not None
    ]
    return Section(
        title="Table 2",
        text=(*texts, _published_text(rate_published())),
        tables=(Table("Scores and ratings", tuple(rows), _NOTE),) if any(rated) else (),
    )


def _estimate(ratings: Ratings | None, player: str) -> Estimate | None:
    if ratings is None:
        return None
    mean, rating = fmean(published().table_2.values()), _of(ratings, player)
    low, high = rating.interval
    return Estimate(mean + rating.elo, (mean + low, mean + high), 0.0, rating.games)


def _of(ratings: Ratings, player: str) -> Rating:
    (found,) = [rating for rating in ratings.table if rating.agent == player]
    return found


def _order_text(what: str, ratings: Ratings) -> str:
    low, high = ratings.advantage_interval
    return (
        f"Orders of the scores on Kaggle and of {what}: {_concordance(ratings)}. Moving first in these openings is"
        f" worth {ratings.advantage:.0f} Elo ({low:.0f} to {high:.0f})."
    )


def _published_text(ratings: Ratings) -> str:
    """What Table 1 alone says about the order."""
    listed = [
        f"{TITLES[each.agent]} {each.elo:+.0f} ({each.interval[0]:.0f} to {each.interval[1]:.0f})"
        for each in ratings.table
    ]
    return (
        f"The published Table 1 rated by itself, the column first everywhere: {', '.join(listed)}. Its order and that"
        f" of Table 2: {_concordance(ratings)}."
    )


def _concordance(ratings: Ratings) -> str:
    """Whether ratings order the players as Table 2 does."""
    from scipy.stats import kendalltau  # loads slowly

    ours = [_of(ratings, player).elo for player in PLAYERS]
    found = kendalltau([published().table_2[player] for player in PLAYERS], ours, method="exact")
    return f"Kendall's tau {found.statistic:.2f}, p = {found.pvalue:.3f} (exact, two-sided, of five players)"
