// Analyse: a game move by move against perfect play, with branches for variations.

import { SIDES, makeBoard } from "../board.js";
import { copy, download, h, signed, toast } from "../dom.js";
import { evaluation, makeGraph } from "../graph.js";
import { Hints, hintSentence } from "../hints.js";
import { ask, call, insist, labFacts } from "../lab.js";
import { boardPicker, field } from "../pickers.js";
import { formatMove, formatMoves, parseBoard, parseMoves, replay } from "../rules.js";

const SAMPLE = { board: "6x7x4", moves: "44444522562617667" };

export function mount(root, query) {
  let spec = parseBoard("6x7x4");
  let names = { 1: "human", 2: "human" };
  let main = []; // the game
  let branch = null; // {from: ply, actions} or null
  let ply = 0;
  let judged = []; // by ply: the review of each move
  let question = null;
  let board = null;
  let picker = null;
  const hints = new Hints(() => draw());
  const graph = makeGraph((picked) => go(picked));

  const place = h("div", { class: "place-of-board" });
  const caption = h("p", { class: "status", role: "status" });
  const advice = h("p", { class: "advice" });
  const moves = h("ol", { class: "moves" });
  const slider = h("input", { type: "range", min: 0, value: 0, "aria-label": "Move", oninput: () => go(Number(slider.value)) });
  const text = h("textarea", { class: "mono", spellcheck: "false", placeholder: "444445225626… or a PGN-like record or JSON", "aria-label": "Game" });
  const file = h("input", { type: "file", accept: ".pgn,.txt,.json,.jsonl", class: "unseen", tabindex: "-1", "aria-label": "Upload a game", onchange: upload });
  const choice = h("select", { "aria-label": "Games in the file", hidden: true });
  const boardPlace = h("div", {});
  const step = (label, name, act) => h("button", { type: "button", "aria-label": name, onclick: act }, label);
  const leaveBranch = h("button", { type: "button", onclick: () => { branch = null; draw(); } }, "Back to the game");

  root.append(
    h("h1", { class: "unseen" }, "Analyse"),
    h("div", { class: "stage" },
      place, caption, advice,
      h("div", { class: "controls" },
        step("|◀", "First position", () => go(0)), step("◀", "Back", () => back()), step("▶", "Forward", () => forward()), step("▶|", "Last position", () => go(main.length)), leaveBranch),
      slider),
    h("div", { class: "side" },
      h("section", { class: "panel" }, h("h2", {}, "Evaluation"), graph.element, graph.legend, moves),
      h("section", { class: "panel" }, h("h2", {}, "Game"), boardPlace, field("Moves, PGN-like or JSON", text),
        h("div", { class: "row" }, h("button", { type: "button", class: "primary", onclick: () => read(text.value) }, "Analyse"),
          h("button", { type: "button", onclick: () => file.click() }, "Upload"), file,
          h("button", { type: "button", onclick: () => open(SAMPLE) }, "Sample")),
        choice),
      h("section", { class: "panel" }, h("h2", {}, "Take home"),
        h("div", { class: "row" },
          h("button", { type: "button", onclick: () => take("pgn") }, "PGN-like"),
          h("button", { type: "button", onclick: () => take("json") }, "JSON"),
          h("button", { type: "button", onclick: () => copy(formatMoves(line().slice(0, at()), spec)) }, "Copy moves"),
          h("a", { class: "button", href: "#/play", onclick: (event) => { event.currentTarget.href = `#/play?${new URLSearchParams({ board: spec.text, moves: formatMoves(line().slice(0, at()), spec), first: "human", second: "human" })}`; } }, "Play from here")))),
  );
  const endSetUp = insist(async () => {
    picker = boardPicker(await labFacts(), spec.text, (chosen) => open({ board: chosen, moves: "" }));
    boardPlace.replaceChildren(picker.element);
  }, (error) => toast(error.message));

  const line = () => (branch ? [...main.slice(0, branch.from), ...branch.actions] : main);
  const at = () => (branch ? branch.from + branch.actions.length : ply);
  const position = () => replay(spec, line().slice(0, at()));

  // --- Games ---

  function open({ board: boardText, moves: moveText, first = "human", second = "human" }) {
    try {
      const given = parseBoard(boardText);
      main = parseMoves(moveText, given);
      spec = given;
    } catch (error) {
      toast(error.message);
      return;
    }
    names = { 1: first, 2: second };
    branch = null;
    ply = main.length;
    text.value = moveText;
    picker?.set(spec.text);
    history.replaceState(null, "", `#/analyse?${new URLSearchParams({ board: spec.text, moves: moveText, first, second })}`);
    review();
    draw();
  }

  async function read(given) {
    try {
      const games = await call("/api/games/read", { method: "POST", body: { text: given, board: spec.text } });
      choice.hidden = games.length < 2;
      choice.replaceChildren(...games.map((game, index) => h("option", { value: index }, `${index + 1}. ${game.first} – ${game.second}`)));
      choice.onchange = () => open(games[Number(choice.value)]);
      open(games[0]);
    } catch (error) {
      toast(error.message);
    }
  }

  async function upload() {
    if (!file.files.length) return;
    const content = await file.files[0].text();
    file.value = "";
    read(content);
  }

  async function take(format) {
    try {
      const written = await call("/api/games/write", { method: "POST", body: { board: spec.text, moves: formatMoves(main, spec), first: names[1], second: names[2] } });
      download(format === "pgn" ? "game.pgn" : "game.json", written[format]);
    } catch (error) {
      toast(error.message);
    }
  }

  function review() {
    question?.cancel();
    judged = main.map(() => null);
    if (!main.length) return;
    const mine = ask({ type: "review", board: spec.text, moves: formatMoves(main, spec) }, (data) => {
      if (question !== mine) return;
      judged[data.ply] = data;
      draw();
    });
    question = mine;
    mine.answer.catch((error) => question === mine && toast(error.message));
  }

  // --- Navigation ---

  function go(to) {
    branch = null;
    ply = Math.min(main.length, Math.max(0, to));
    draw();
  }

  function back() {
    if (!branch) return go(ply - 1);
    branch.actions = branch.actions.slice(0, -1);
    if (!branch.actions.length) branch = null;
    draw();
  }

  function forward() {
    if (!branch) go(ply + 1);
  }

  // A move on the board follows the game if it is the next one; otherwise it begins or continues a branch.
  function play(action) {
    if (!branch && main[ply] === action) return go(ply + 1);
    branch ??= { from: ply, actions: [] };
    branch.actions = [...branch.actions, action];
    draw();
  }

  // --- Drawing ---

  function points() {
    const cells = spec.rows * spec.columns;
    const found = main.map((_, index) => judged[index] && evaluation(judged[index], index, cells));
    const end = replay(spec, main);
    const last = judged.at(-1);
    const result = end.isOver ? { value: end.winner ? (end.winner === 1 ? 1 : -1) : 0, exact: true } : null;
    const kept = last?.exact && last.after !== null ? evaluation({ exact: true, score: -last.after }, main.length, cells) : null;
    return [...found, result ?? kept];
  }

  function draw() {
    const shown = position();
    if (board?.spec.text !== spec.text) {
      board = makeBoard(spec, { onPlay: play, label: "Position" });
      place.replaceChildren(board.element);
    }
    const known = !branch && ply < main.length ? judged[ply] : null;
    hints.about(known || shown.isOver ? null : shown);
    const advised = known ?? hints.known;
    board.show(shown, { hints: advised });
    advice.textContent = shown.isOver ? "" : hintSentence(advised, shown, hints.failure);
    leaveBranch.hidden = !branch;
    slider.max = main.length;
    slider.value = ply;
    graph.show(points(), main.map((_, index) => judged[index]?.label ?? null), branch ? branch.from : ply);
    const words = captionOf(shown);
    const isNew = caption.textContent !== words.map((part) => part.textContent ?? part).join("");
    if (isNew) caption.replaceChildren(...words); // a screen reader may read replaced text again
    drawMoves();
  }

  function captionOf(shown) {
    if (branch) return [`What if … ${branch.actions.map((action) => formatMove(action, spec)).join(" ")}`];
    if (!main.length) return ["Play moves on the board, or paste a game."];
    if (ply === 0) return ["The start."];
    const verdict = judged[ply - 1];
    const side = SIDES[1 + ((ply - 1) % 2)];
    const played = `${ply}. ${side} ${formatMove(main[ply - 1], spec)}`;
    const ending = shown.isOver ? (shown.winner ? `, ${side} wins` : ", a draw") : "";
    if (!verdict?.label) return [`${played}${ending}`];
    const best = verdict.best.map((action) => formatMove(action, spec)).join(", ");
    const cost = verdict.loss ? ` (${signed(verdict.score)} to ${signed(verdict.after)}; best was ${best})` : "";
    return [`${played}${ending}: `, h("span", { class: `verdict ${verdict.label}` }, verdict.label), cost];
  }

  function drawMoves() {
    const entries = line().map((action, index) => {
      const isBranch = branch !== null && index >= branch.from;
      const label = isBranch ? "" : judged[index]?.label ?? "";
      return h("li", { class: "plain" }, h("button", {
        type: "button",
        class: `side-${1 + (index % 2)} ${label} ${isBranch ? "branch" : ""}`,
        "aria-current": at() === index + 1 ? "step" : undefined,
        "aria-label": `Move ${index + 1}: ${formatMove(action, spec)}${label ? `, ${label}` : ""}${isBranch ? ", branch" : ""}`,
        onclick: () => (isBranch ? ((branch.actions = branch.actions.slice(0, index + 1 - branch.from)), draw()) : go(index + 1)),
      }, formatMove(action, spec)));
    });
    moves.replaceChildren(...entries);
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const act = { ArrowLeft: back, ArrowRight: forward, Home: () => go(0), End: () => go(main.length), u: back }[event.key];
    if (act) {
      event.preventDefault();
      act();
    }
  }

  document.addEventListener("keydown", onKey);
  open(query.has("moves") ? { board: query.get("board") ?? "6x7x4", moves: query.get("moves"), first: query.get("first") ?? undefined, second: query.get("second") ?? undefined } : SAMPLE);
  return () => {
    document.removeEventListener("keydown", onKey);
    endSetUp();
    question?.cancel();
    hints.end();
  };
}
