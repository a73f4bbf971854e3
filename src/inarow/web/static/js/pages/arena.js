// Arena: tournaments in the lab, and the contents of its results store.

import { h, setText, toast } from "../dom.js";
import { watchJobs } from "../jobs.js";
import { call, fileAddress, insist, labFacts } from "../lab.js";
import { agentPicker, boardPicker, field } from "../pickers.js";
import { crossTable, gameList, ratingTable } from "../standings.js";

const PAGE = 100; // matches or games per request

export function mount(root) {
  let agents = ["random", "winblock", "mcts:simulations=200"];
  let board = "6x7x4";
  const form = h("section", { class: "panel" }, h("h2", {}, "New tournament"), h("p", { class: "dim" }, "Loading …"));
  const view = h("section", { class: "panel" }, h("h2", {}, "Tournament"), h("p", { class: "dim" }, "Start a tournament to see its table here."));
  const results = h("section", { class: "panel" });
  const jobs = watchJobs("arena", (job) => `${job.plan.board}, ${job.plan.agents.length} agents`, (job) => job && draw(job));
  const buttons = jobs.makeButtons({ canPause: true });
  const parts = {
    title: h("h2", {}),
    plan: h("p", { class: "dim" }),
    bar: h("progress", { "aria-label": "Games played" }),
    count: h("p", {}),
    message: h("p", { class: "verdict blunder" }),
    buttons: h("div", { class: "row" }, buttons.elements),
    tables: h("div", { class: "column" }),
  };
  let shown = null; // the job that is shown

  root.append(h("h1", { class: "unseen" }, "Arena"), h("div", { class: "column" }, form, jobs.element), h("div", { class: "column" }, view, results));
  const ends = [
    insist(() => labFacts().then(setUp), (error) => form.replaceChildren(h("h2", {}, "New tournament"), h("p", {}, error.message))),
    insist(showResults, noResults),
  ];

  function setUp(facts) {
    const chosen = h("ul", { class: "chosen-agents", "aria-label": "Participating agents" });
    const games = h("input", { type: "number", min: 2, step: 2, value: 20, max: 10000 });
    const workers = h("input", { type: "number", min: 1, max: 16, value: 1 });
    const gauntlet = h("input", { type: "checkbox", id: "gauntlet" });
    const picker = agentPicker(facts, "Add an agent", "solver:level=2", () => {}, { person: false });
    const list = () => chosen.replaceChildren(...agents.map((agent) => h("li", {}, h("code", {}, agent),
      h("button", { type: "button", "aria-label": `Remove ${agent}`, onclick: () => { agents = agents.filter((each) => each !== agent); list(); } }, "×"))));
    const add = () => {
      if (picker.value && !agents.includes(picker.value)) agents.push(picker.value);
      list();
    };
    const start = async () => {
      try {
        await jobs.start({ kind: "arena", agents, board, games: Number(games.value), workers: Number(workers.value), gauntlet: gauntlet.checked, seed: Math.floor(Math.random() * 2 ** 31) });
      } catch (error) {
        toast(error.message);
      }
    };
    list();
    form.replaceChildren(h("h2", {}, "New tournament"), chosen, picker.element, h("div", {}, h("button", { type: "button", onclick: add }, "Add")),
      boardPicker(facts, board, (text) => (board = text)).element,
      h("div", { class: "fields" }, field("Games per pair", games), field("Processes", workers)),
      h("label", { class: "check", for: "gauntlet" }, gauntlet, "Gauntlet: the first agent against all others"),
      h("button", { type: "button", class: "primary", onclick: start }, "Start"));
  }

  // Texts and buttons are updated in place; only tables are rebuilt, and not while the user is opening one of their games.
  function draw(job) {
    const isOther = shown?.id !== job.id || shown.status !== job.status;
    if (!isOther && shown.done === job.done && shown.total === job.total && shown.message === job.message) return;
    shown = job;
    if (!parts.bar.isConnected) view.replaceChildren(...Object.values(parts));
    setText(parts.title, `Tournament ${job.id}: ${job.status}`);
    setText(parts.plan, `${job.plan.board}, ${job.plan.games} games per pair, seed ${job.plan.seed}. Openings are balanced and played from both sides.`);
    parts.bar.max = job.total ?? 1;
    parts.bar.value = job.done;
    setText(parts.count, job.total ? `${job.done} of ${job.total} games` : "Starting …");
    setText(parts.message, job.message ?? "");
    parts.message.hidden = !job.message;
    buttons.show(job);
    if (isOther || !parts.tables.matches(":focus-within, :active")) parts.tables.replaceChildren(...tablesOf(job.result));
    if (job.status === "finished") showResults().catch(noResults);
  }

  const tablesOf = (result) =>
    result ? [h("h3", {}, "Ratings"), ratingTable(result.ratings), h("h3", {}, "Cross table"), crossTable(result), h("h3", {}, "Latest games"), gameList(result.recent)] : [];

  // --- The results store ---

  async function showResults() {
    const boards = await call("/api/boards");
    const reports = await call("/api/reports");
    const table = h("div", {});
    const select = h("select", { onchange: () => showBoard(select.value, table) }, boards.map(({ board: text, matches }) => h("option", { value: text }, `${text}  (${matches} matches)`)));
    results.replaceChildren(h("h2", {}, "Results store"),
      boards.length ? field("Board", select) : h("p", { class: "dim" }, "The store is empty. Run a tournament to fill it."), table,
      h("h3", {}, "Reports"),
      reports.length ? h("ul", { class: "games" }, reports.map(({ path }) => h("li", {}, h("a", { href: fileAddress(path), target: "_blank", rel: "noopener" }, path)))) : h("p", { class: "dim" }, "Pages in the runs folder appear here: inarow report, inarow reproduce --out runs/…"));
    if (boards.length) showBoard(boards[0].board, table);
  }

  function noResults(error) {
    results.replaceChildren(h("h2", {}, "Results store"), h("p", { class: "dim" }, error.message));
  }

  async function showBoard(text, place) {
    const query = new URLSearchParams({ board: text });
    try {
      const [groups, matches] = await Promise.all([call(`/api/leaderboard?${query}`), listed(`/api/matches?${query}&`, (page) => page.map(matchEntry), "Earlier matches")]);
      const accuracy = ["accuracy", ({ outcome_accuracy: share }) => (share === null ? "–" : `${(100 * share).toFixed(1)} %`)];
      place.replaceChildren(h("h3", {}, "Leaderboard"), ...groups.map((group) => ratingTable(group, group.some((row) => row.outcome_accuracy !== null) ? [accuracy] : [])),
        h("h3", {}, "Matches"), matches);
    } catch (error) {
      place.replaceChildren(h("p", { class: "dim" }, error.message));
    }
  }

  function matchEntry(match) {
    const place = h("div", {}, h("p", { class: "dim" }, "Loading …"));
    const load = async () => {
      try {
        place.replaceChildren(await listed(`/api/matches/${match.id}/games?`, (page) => [gameList(page)], "More games"));
      } catch (error) {
        place.replaceChildren(h("p", { class: "dim" }, error.message));
      }
    };
    return h("details", { ontoggle: (event) => event.currentTarget.open && load() },
      h("summary", {}, `${match.a}  –  ${match.b}:  +${match.wins} =${match.draws} −${match.losses}`), place);
  }

  // A paged list of the lab: the first page, and a button that adds the next one if there may be more.
  async function listed(path, show, text) {
    const button = h("button", { type: "button", onclick: () => next().catch((error) => toast(error.message)) }, text);
    const place = h("div", {}, button);
    let offset = 0;
    async function next() {
      const from = offset;
      const page = await call(`${path}offset=${from}`);
      if (from !== offset) return; // a second click
      if (page.length || !from) button.before(...show(page));
      offset += page.length;
      button.hidden = page.length < PAGE;
    }
    await next();
    return place;
  }

  return () => {
    jobs.close();
    ends.forEach((end) => end());
  };
}
