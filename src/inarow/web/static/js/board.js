// The board: discs behind a frame (or on a grid, without gravity), and a button for every move.

import { h, signed, svg } from "./dom.js";
import { formatMove, moveName } from "./rules.js";

const CELL = 100;
const PAD = 14;
const LANE = 74;
const FOOT = 30;
const MANY = 20;
const TIGHT = 40; // pixels of a cell in which numbers would be too small to read

export const SIDES = { 1: "X", 2: "O" };

// Discs have different signs, so that colour is not needed to distinguish them.
export function disc(side, x, y, radius = 42) {
  const arm = radius * 0.36;
  return svg(
    "g",
    { class: `disc side-${side}`, transform: `translate(${x} ${y})` },
    svg("g", { class: "body" },
      svg("circle", { r: radius, class: "rim" }),
      svg("circle", { r: radius * 0.82, class: "face" }),
      side === 1
        ? svg("path", { class: "sign", d: `M${-arm} ${-arm}L${arm} ${arm}M${-arm} ${arm}L${arm} ${-arm}` })
        : svg("circle", { class: "sign", r: arm * 1.1 })),
  );
}

export const badge = (side) =>
  svg("svg", { class: "badge", viewBox: "-50 -50 100 100", "aria-hidden": "true" }, disc(side, 0, 0, 48));

// `onPlay(action)` is called for moves that look legal. `show` draws a position.
export function makeBoard(spec, { onPlay, label = "Board" }) {
  const { rows, columns, gravity } = spec;
  const lane = gravity ? LANE : 0;
  const foot = gravity ? FOOT : 0;
  const width = columns * CELL + 2 * PAD;
  const height = rows * CELL + 2 * PAD + lane + foot;
  const centre = (cell) => [PAD + (cell % columns) * CELL + CELL / 2, lane + PAD + Math.floor(cell / columns) * CELL + CELL / 2];

  const discs = svg("g");
  const ghost = svg("g", { class: "ghost" });
  const marks = svg("g", { class: "marks" });
  const chips = svg("g", { class: "chips" });
  const picture = svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, class: "picture", role: "img", "aria-label": label },
    gravity && svg("rect", { class: "well", x: PAD / 2, y: lane + PAD / 2, width: width - PAD, height: rows * CELL + PAD, rx: 20 }),
    !gravity && grid(),
    ghost,
    discs,
    gravity && svg("path", { class: "frame", d: framePath(), "fill-rule": "evenodd" }),
    gravity && Array.from({ length: columns }, (_, column) =>
      svg("text", { class: "place", x: PAD + column * CELL + CELL / 2, y: height - 7 }, formatMove(column, spec))),
    marks,
    chips,
  );
  const buttons = Array.from({ length: spec.actions }, (_, action) => hit(action));
  const hits = h("div", { class: "hits", role: "group", "aria-label": gravity ? "Columns" : "Cells" }, buttons);
  const element = h("div", { class: `board ${gravity ? "falling" : "free"}`, style: { "--ratio": width / height } }, picture, hits);
  let drawn = [];
  let current = null;
  let told = null; // the hints shown
  let canPlay = false;
  let isTight = false;

  new ResizeObserver(() => {
    const { clientWidth } = element;
    if (!clientWidth || isTight === clientWidth < TIGHT * columns) return;
    isTight = !isTight;
    element.classList.toggle("tight", isTight);
    drawChips();
  }).observe(element);

  function grid() {
    return svg("g", { class: "grid" },
      svg("rect", { class: "sheet", x: 2, y: 2, width: width - 4, height: height - 4, rx: 18 }),
      Array.from({ length: rows * columns }, (_, cell) => {
        const [x, y] = centre(cell);
        return svg("rect", { class: "cell", x: x - 46, y: y - 46, width: 92, height: 92, rx: 12 });
      }));
  }

  function framePath() {
    const [right, bottom] = [width, lane + rows * CELL + 2 * PAD];
    const outline = `M22 ${lane}H${right - 22}Q${right} ${lane} ${right} ${lane + 22}V${bottom - 22}Q${right} ${bottom} ${right - 22} ${bottom}H22Q0 ${bottom} 0 ${bottom - 22}V${lane + 22}Q0 ${lane} 22 ${lane}Z`;
    const holes = Array.from({ length: rows * columns }, (_, cell) => {
      const [x, y] = centre(cell);
      return `M${x - 41} ${y}a41 41 0 1 0 82 0a41 41 0 1 0 -82 0Z`;
    });
    return outline + holes.join("");
  }

  function hit(action) {
    const [left, top, wide, high] = gravity
      ? [PAD + action * CELL, 0, CELL, height]
      : [PAD + (action % columns) * CELL, PAD + Math.floor(action / columns) * CELL, CELL, CELL];
    const percent = (part, whole) => `${(100 * part) / whole}%`;
    return h("button", {
      type: "button",
      class: "hit",
      tabindex: action === 0 ? "0" : "-1",
      style: { left: percent(left, width), top: percent(top, height), width: percent(wide, width), height: percent(high, height) },
      onclick: () => canPlay && current.isLegal(action) && onPlay(action),
      onpointerenter: () => showGhost(action),
      onpointerleave: () => ghost.replaceChildren(),
      onfocus: () => {
        buttons.forEach((button, other) => button.setAttribute("tabindex", other === action ? "0" : "-1"));
        showGhost(action);
      },
      onblur: () => ghost.replaceChildren(),
    });
  }

  function showGhost(action) {
    ghost.replaceChildren();
    if (!canPlay || !current.isLegal(action)) return;
    const [x, y] = centre(current.landing(action));
    ghost.append(disc(current.side, x, y));
    if (gravity && !chips.childElementCount) ghost.append(disc(current.side, x, lane / 2, 30));
  }

  function drawDiscs(position) {
    const isNext = position.placed.length === drawn.length + 1 && drawn.every((cell, ply) => cell === position.placed[ply]);
    if (!isNext) {
      discs.replaceChildren();
      position.placed.forEach((cell, ply) => discs.append(disc(1 + (ply % 2), ...centre(cell))));
    } else {
      const cell = position.placed.at(-1);
      const [x, y] = centre(cell);
      const stone = disc(position.cells[cell], x, y);
      stone.classList.add(gravity ? "drop" : "pop");
      stone.style.setProperty("--fall", `${-(y - lane / 2)}px`);
      stone.style.setProperty("--time", `${180 + 55 * Math.sqrt(y / CELL) * 2.2}ms`);
      discs.append(stone);
    }
    drawn = [...position.placed];
  }

  function drawMarks(position) {
    marks.replaceChildren();
    if (position.placed.length) {
      const [x, y] = centre(position.placed.at(-1));
      marks.append(svg("circle", { class: "last", cx: x, cy: y, r: 46 }));
    }
    for (const cell of position.line) {
      const [x, y] = centre(cell);
      marks.append(svg("circle", { class: "won", cx: x, cy: y, r: 44 }));
    }
  }

  // Of many estimates, shows only those of the most visited moves: the others are too inaccurate.
  function worthShowing(hints) {
    if (hints.exact || spec.actions <= MANY) return () => true;
    const least = [...hints.visits].sort((a, b) => b - a)[Math.min(5, hints.visits.length - 1)];
    return (action) => hints.visits[action] >= least;
  }

  // The score or estimate of a legal action in the hints, or null.
  function numberOf() {
    if (!told) return () => null;
    const shown = worthShowing(told);
    const numbers = (told.exact ? told.scores : told.values) ?? [];
    return (action) => (current.isLegal(action) && shown(action) ? numbers[action] ?? null : null);
  }

  function chipText(given) {
    if (told.exact) return signed(given);
    return isTight ? signed(given, 1).replace(/\.0$/, "").replace("0.", ".") : signed(given, 2);
  }

  function drawChips() {
    chips.replaceChildren();
    const given = numberOf();
    for (let action = 0; action < spec.actions; action++) {
      const number = given(action);
      if (number === null) continue;
      const text = chipText(number);
      const [x, y] = gravity ? [PAD + action * CELL + CELL / 2, lane / 2 - 4] : centre(action);
      const kind = number > 0.02 ? "win" : number < -0.02 ? "loss" : "even";
      const best = told.best.includes(action);
      const half = isTight ? 46 : Math.min(46, Math.max(32, 11 * text.length));
      chips.append(svg("g", { class: `chip ${kind} ${best ? "best" : ""} ${told.exact ? "" : "guess"}`, transform: `translate(${x} ${y})` },
        svg("rect", { x: -half, y: -25, width: 2 * half, height: 50, rx: 12 }),
        svg("text", { y: isTight ? 17 : 11 }, text),
        best && svg("path", { class: "crown", d: "M-9 31h18l-9 11z" })));
    }
  }

  function nameButtons(position) {
    const given = numberOf();
    buttons.forEach((button, action) => {
      const name = moveName(action, spec);
      const number = given(action);
      const state = position.isLegal(action) ? "" : position.isOver ? "" : gravity ? ", full" : `, ${SIDES[position.cells[action]]}`;
      const score = number === null ? "" : `, ${told.exact ? `score ${number}` : `estimate ${signed(number, 2)}`}${told.best.includes(action) ? ", best" : ""}`;
      button.setAttribute("aria-label", name[0].toUpperCase() + name.slice(1) + state + score);
      button.setAttribute("aria-disabled", String(!(canPlay && position.isLegal(action))));
    });
  }

  function describe(position) {
    const lines = [];
    for (let row = 0; row < rows; row++) {
      lines.push(Array.from({ length: columns }, (_, column) => SIDES[position.cells[row * columns + column]] ?? "empty").join(" "));
    }
    return `${label}, ${rows} rows from the top: ${lines.join("; ")}`;
  }

  // `hints`: the answer to a hint question, or null.
  function show(position, { hints = null, playable = true } = {}) {
    current = position;
    told = hints;
    canPlay = playable && !position.isOver;
    element.classList.toggle("playable", canPlay);
    ghost.replaceChildren();
    drawDiscs(position);
    drawMarks(position);
    drawChips();
    nameButtons(position);
    picture.setAttribute("aria-label", describe(position));
  }

  // Arrows move between the buttons.
  hits.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement);
    const step = { ArrowLeft: -1, ArrowRight: 1, ...(gravity ? {} : { ArrowUp: -columns, ArrowDown: columns }) }[event.key];
    if (at < 0 || step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[(at + step + spec.actions) % spec.actions].focus();
  });

  return { element, show, focus: (action) => buttons[action].focus(), spec };
}
