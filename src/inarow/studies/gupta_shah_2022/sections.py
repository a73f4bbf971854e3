"""What the report of gupta-shah-2022 shows. Any part of the results may be missing."""

from __future__ import annotations

from inarow.studies.experiment import VARIANTS
from inarow.studies.gupta_shah_2022 import names
from inarow.studies.gupta_shah_2022.measured_tables import grades_section, speed_section
from inarow.studies.gupta_shah_2022.players import ALPHAZERO_SIMULATIONS, NET, NET_CONTENT, known_agent
from inarow.studies.gupta_shah_2022.published import PLAYERS
from inarow.studies.gupta_shah_2022.table_1 import cells_section, matches_section
from inarow.studies.gupta_shah_2022.table_2 import ratings_section
from inarow.studies.report import Section
from inarow.studies.results import Results


def sections(results: Results) -> list[Section]:
    """Who plays, both tables, and what the authors did not measure."""
    found = (
        cells_section(results),
        matches_section(results),
        ratings_section(results),
        grades_section(results),
        speed_section(results),
    )
    return [_players_section(results), *(each for each in found if each.tables)]


def _players_section(results: Results) -> Section:
    known = [player for player in PLAYERS if player != "alphazero"]
    listed = [f"{variant}: {', '.join(known_agent(player, variant) for player in known)}." for variant in VARIANTS]
    nets = [results.settings(names.grade("alphazero"), variant) for variant in VARIANTS]
    used = {f"{net[NET]} (content {net[NET_CONTENT][:12]})" for net in nets if net}
    return Section(
        title="Who plays",
        text=(
            *listed,
            f"AlphaZero is the same in both: our search with a net of ours and {ALPHAZERO_SIMULATIONS} simulations,"
            " which take about as long as the other searches. The authors' net and the number of its simulations are"
            f" not published. Net: {', '.join(sorted(used)) or 'none yet'}.",
        ),
    )
