// Play: people and agents in any combination, on any board.

import { SIDES, badge, makeBoard } from "../board.js";
import { announce, copy, h, setText, toast } from "../dom.js";
import { makeEvidence } from "../evidence.js";
import { Game, PERSON } from "../game.js";
import { Hints, hintSentence } from "../hints.js";
import { ask, insist, labFacts } from "../lab.js";
import { agentPicker, boardPicker } from "../pickers.js";
import { formatMove, moveName, parseMoves, usesLetters } from "../rules.js";

const AGENT_PACE = 450; // milliseconds between moves of agents, so that users can follow
const TYPING_PACE = 700; // milliseconds in which another digit may follow
const HINTS = "inarow.hints";

export function mount(root, query) {
  let game;
  try {
    game = Game.restore(query);
  } catch (error) {
    toast(error.message);
    game = new Game();
  }
  let board = null;
  let question = null;
  let pace = null;
  let paused = false;
  let thinking = false;
  let typed = ""; // digits of a move
  let typing = null;
  let wantsHints = localStorage.getItem(HINTS) === "on";
  const hints = new Hints(() => draw());
  const evidence = makeEvidence();

  const bars = { 1: h("div", { class: "player" }), 2: h("div", { class: "player" }) };
  const place = h("div", { class: "place-of-board" });
  const status = h("p", { class: "status", role: "status" });
  const advice = h("p", { class: "advice" });
  const moves = h("ol", { class: "moves" });
  const button = (text, key, act, name) => h("button", { type: "button", onclick: act, title: key ? `Key ${key}` : undefined, "aria-label": name }, text, key && h("kbd", {}, key));
  const controls = {
    undo: button("Undo", "U", undo),
    redo: button("Redo", "Y", redo),
    restart: button("Restart", "R", restart),
    hint: button("Hints", "H", toggleHints),
    swap: button("Swap sides", "", swap),
    resign: button("Resign", "", resign),
    pause: button("Pause", "", togglePause),
  };
  const setup = h("section", { class: "panel" }, h("h2", {}, "Players"), h("p", { class: "dim" }, "Loading …"));
  const paste = h("input", { type: "text", class: "mono", "aria-label": "Move string", placeholder: "4453…", spellcheck: "false" });

  root.append(
    h("h1", { class: "unseen" }, "Play"),
    h("div", { class: "stage" }, bars[2], place, bars[1], status, advice, h("div", { class: "controls" }, Object.values(controls))),
    h("div", { class: "side" },
      h("section", { class: "panel" }, h("h2", {}, "Agent’s evaluation"), evidence.element),
      setup,
      h("section", { class: "panel" }, h("h2", {}, "Moves"), moves,
        h("div", { class: "row" }, paste, h("button", { type: "button", onclick: load }, "Load")),
        h("div", { class: "row" },
          h("button", { type: "button", onclick: () => copy(game.moves) }, "Copy moves"),
          h("button", { type: "button", onclick: () => copy(location.href) }, "Copy link"),
          h("a", { class: "button", href: "#/analyse", onclick: (event) => { event.currentTarget.href = analysis(); } }, "Analyse")))),
  );

  const analysis = () => `#/analyse?${new URLSearchParams({ board: game.spec.text, moves: game.moves })}`;

  const endSetUp = insist(() => labFacts().then(showPickers), (error) => setup.replaceChildren(h("h2", {}, "Players"), h("p", {}, error.message)));

  function showPickers(facts) {
    const pickers = {
      board: boardPicker(facts, game.spec.text, (text) => begin({ board: text })),
      1: agentPicker(facts, "X, first", game.players[1], (agent) => choose(1, agent)),
      2: agentPicker(facts, "O, second", game.players[2], (agent) => choose(2, agent)),
    };
    setup.replaceChildren(h("h2", {}, "Players"), pickers[1].element, pickers[2].element, pickers.board.element);
    setup.refresh = () => {
      pickers[1].set(game.players[1]);
      pickers[2].set(game.players[2]);
      pickers.board.set(game.spec.text);
    };
  }

  // --- Actions of the user ---

  function begin({ board: text = game.spec.text, moves: given = "" } = {}) {
    game = new Game({ board: text, moves: given, first: game.players[1], second: game.players[2] });
    evidence.clear();
    change();
  }

  function choose(side, agent) {
    game.players[side] = agent;
    paused = false;
    change();
  }

  function play(action) {
    game.play(action);
    change();
  }

  function undo() {
    paused = !game.hasPerson;
    game.undo();
    change();
  }

  function redo() {
    paused = !game.hasPerson;
    game.redo();
    change();
  }

  function restart() {
    paused = false;
    game.restart();
    evidence.clear();
    change();
  }

  function swap() {
    game.swap();
    setup.refresh?.();
    change();
  }

  function resign() {
    if (game.isOver || !game.hasPerson) return;
    game.resigned = game.toMove === PERSON ? game.position.side : 3 - game.position.side;
    change();
  }

  function togglePause() {
    paused = !paused;
    change();
  }

  function toggleHints() {
    wantsHints = !wantsHints;
    localStorage.setItem(HINTS, wantsHints ? "on" : "off");
    draw();
  }

  function load() {
    try {
      parseMoves(paste.value, game.spec);
      begin({ moves: paste.value.trim() });
      paste.value = "";
    } catch (error) {
      toast(error.message);
    }
  }

  // --- Updates ---

  // After every change: store it, draw it, and let the next player move.
  function change() {
    question?.cancel();
    clearTimeout(pace);
    clearTimeout(typing);
    typed = "";
    question = null;
    thinking = false;
    game.keep();
    if (!game.isOver && game.toMove !== PERSON && !paused) think();
    draw();
  }

  function think() {
    const { toMove: agent, spec } = game;
    const began = performance.now();
    const asked = ask({ type: "think", board: spec.text, moves: game.moves, agent, seed: game.seed }, (data) => {
      if (question === asked) evidence.show(data, spec, { agent, live: true });
    });
    question = asked;
    thinking = true;
    asked.answer.then((data) => {
      if (question !== asked) return;
      evidence.show(data, spec, { agent });
      pace = setTimeout(() => {
        announce(`${SIDES[game.position.side]} plays ${moveName(data.action, spec)}`);
        play(data.action);
      }, Math.max(0, AGENT_PACE - (performance.now() - began)));
    }).catch((error) => {
      if (question !== asked) return;
      thinking = false;
      paused = true;
      toast(error.message);
      draw();
    });
  }

  function draw() {
    const { position } = game;
    const isPersons = game.toMove === PERSON && !game.isOver;
    if (board?.spec.text !== game.spec.text) {
      board = makeBoard(game.spec, { onPlay: play, label: "Board" });
      place.replaceChildren(board.element);
    }
    const showsHints = wantsHints && !game.isOver && (isPersons || !game.hasPerson);
    hints.about(showsHints ? position : null);
    board.show(position, { hints: showsHints ? hints.known : null, playable: isPersons });
    for (const side of [1, 2]) drawPlayer(side);
    setText(status, statusText());
    advice.textContent = showsHints ? hintSentence(hints.known, position, hints.failure) : "";
    moves.replaceChildren(...position.actions.map((action, ply) => h("li", { class: `side-${1 + (ply % 2)}` }, formatMove(action, game.spec))));
    controls.hint.setAttribute("aria-pressed", String(wantsHints));
    controls.undo.disabled = !game.actions.length && game.resigned === null;
    controls.redo.disabled = !game.canRedo;
    controls.resign.disabled = game.isOver || !game.hasPerson;
    controls.pause.hidden = game.hasPerson && !paused;
    controls.pause.textContent = paused ? "Continue" : "Pause";
  }

  function drawPlayer(side) {
    const isNext = !game.isOver && game.position.side === side;
    const name = game.players[side] === PERSON ? (game.players[3 - side] === PERSON ? "Person" : "You") : game.players[side];
    const state = game.isOver ? (game.winner === side ? "won" : "") : isNext ? (thinking ? "thinking" : paused ? "paused" : "to move") : "";
    bars[side].className = `player ${isNext ? "next" : ""} ${game.winner === side ? "winner" : ""}`;
    bars[side].replaceChildren(badge(side), h("span", { class: "name" }, name), h("span", { class: `state ${thinking && isNext ? "live" : ""}` }, state));
  }

  function statusText() {
    if (game.resigned !== null) return `${SIDES[game.resigned]} resigned: ${SIDES[game.winner]} wins.`;
    if (game.winner) return `${SIDES[game.winner]} wins with ${game.spec.inarow} in a row.`;
    if (game.isOver) return "A draw: the board is full.";
    return `Move ${game.actions.length + 1}: ${SIDES[game.position.side]} to move.`;
  }

  // --- Keys ---

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    const key = event.key.toLowerCase();
    const act = { u: undo, y: redo, r: restart, h: toggleHints }[key];
    if (act) return act();
    if (/^[0-9]$/.test(key)) type(key);
    else if (/^[a-g]$/.test(key)) playIfLegal(key.charCodeAt(0) - 88);
    else if (key === "enter" && typed) {
      event.preventDefault(); // it ends the number and must not press a button
      playTyped();
    } else if (/^arrow(left|right)$/.test(key) && /^(BODY|MAIN)$/.test(document.activeElement?.tagName)) {
      event.preventDefault();
      board.focus(Math.floor((game.spec.actions - (game.spec.gravity ? 0 : 1)) / 2));
    }
  }

  // Collects digits until a pause or Enter, or until no other digit is possible.
  function type(digit) {
    clearTimeout(typing);
    typed += digit;
    if (usesLetters(game.spec) || 10 * Number(typed) > game.spec.actions) playTyped();
    else typing = setTimeout(playTyped, TYPING_PACE);
  }

  function playTyped() {
    clearTimeout(typing);
    const action = Number(typed) - 1;
    typed = "";
    playIfLegal(action);
  }

  function playIfLegal(action) {
    if (game.toMove === PERSON && !game.isOver && game.position.isLegal(action)) play(action);
  }

  document.addEventListener("keydown", onKey);
  change();
  return () => {
    document.removeEventListener("keydown", onKey);
    endSetUp();
    question?.cancel();
    clearTimeout(pace);
    clearTimeout(typing);
    hints.end();
  };
}
