"""A package that adds a page to the lab."""

FILES = {
    "outside_pages/__init__.py": """
from pathlib import Path

from inarow.web.pages import Page

OPENINGS = Page("Openings", Path(__file__).parent / "static" / "openings.js")
LOST = Page("Lost", Path(__file__).parent / "nowhere.js")
TEXT = "not a page"
""",
    "outside_pages/static/openings.js": """
import { h } from "/static/js/dom.js";
import { labFacts } from "/static/js/lab.js";
import { title } from "./words.js";

export function mount(root, query) {
  const about = h("p", { id: "about" }, "");
  root.append(h("h1", {}, title), about);
  labFacts().then((facts) => { about.textContent = `${facts.boards.length} boards, moves ${query.get("moves")}`; });
  return () => { window.hasLeft = true; };
}
""",
    "outside_pages/static/words.js": 'export const title = "All openings";\n',
}
GOOD = "[inarow.pages]\nopenings = outside_pages:OPENINGS\n"
