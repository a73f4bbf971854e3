// The board of a notebook: draws `_shown`, which the kernel sends, and sends the user's actions. It does not know the rules.

const SVG = "http://www.w3.org/2000/svg";
const CELL = 100;
const PAD = 14;
const LANE = 74; // height above the columns for hints and the preview of a stone
const FOOT = 36;
const SIDES = { 1: "X", 2: "O" };

function build(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") Object.entries(value).forEach(([key, text]) => element.style.setProperty(key, text));
    else element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter(Boolean));
  return element;
}
const h = (tag, properties = {}, ...children) => build(document.createElement(tag), properties, children);
const svg = (tag, properties = {}, ...children) => build(document.createElementNS(SVG, tag), properties, children);

const signed = (score) => (score > 0 ? `+${score}` : String(score).replace("-", "−"));

// A cross for the first side, a ring for the second: different in shape as well as in colour.
function stone(side, [x, y], radius = 42) {
  const arm = radius * 0.36;
  const sign = side === 1 ? svg("path", { d: `M${-arm} ${-arm}L${arm} ${arm}M${-arm} ${arm}L${arm} ${-arm}` }) : svg("circle", { r: arm * 1.1 });
  sign.classList.add("sign");
  return svg("g", { class: `stone side-${side}`, transform: `translate(${x} ${y})` },
    svg("g", { class: "body" }, svg("circle", { class: "rim", r: radius }), svg("circle", { class: "face", r: radius * 0.82 }), sign));
}

// A board of one size; `show` draws a state of it, `play(action)` is called for legal moves.
function makeBoard({ rows, columns, gravity, names }, play) {
  const lane = gravity ? LANE : 0;
  const width = columns * CELL + 2 * PAD;
  const height = rows * CELL + 2 * PAD + lane + (gravity ? FOOT : 0);
  const x = (column) => PAD + column * CELL + CELL / 2;
  const centre = (cell) => [x(cell % columns), lane + PAD + Math.floor(cell / columns) * CELL + CELL / 2];
  const everyCell = Array.from({ length: rows * columns }, (_, cell) => cell);
  const [stones, ghost, marks, chips] = ["stones", "ghost", "marks", "chips"].map((name) => svg("g", { class: name }));
  const places = gravity
    ? names.map((name, column) => svg("text", { class: "place", x: x(column), y: height - 8 }, name))
    : names.map((name, cell) => svg("text", { class: "place", x: centre(cell)[0] - 40, y: centre(cell)[1] - 24 }, name));
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" },
    !gravity && everyCell.map((cell) => svg("rect", { class: "cell", x: centre(cell)[0] - 46, y: centre(cell)[1] - 46, width: 92, height: 92, rx: 12 })),
    !gravity && places, ghost, stones, gravity && [svg("path", { class: "frame", d: framePath(), "fill-rule": "evenodd" }), places], marks, chips);
  const buttons = names.map((_, action) => hit(action));
  const element = h("div", { class: "board", style: { "--columns": columns } }, picture, h("div", { class: "hits", onkeydown: step }, buttons));
  let state = null;

  function framePath() {
    const bottom = lane + rows * CELL + 2 * PAD;
    const holes = everyCell.map((cell) => `M${centre(cell)[0] - 41} ${centre(cell)[1]}a41 41 0 1 0 82 0a41 41 0 1 0 -82 0Z`);
    return `M22 ${lane}H${width - 22}q22 0 22 22V${bottom - 22}q0 22 -22 22H22q-22 0 -22 -22V${lane + 22}q0 -22 22 -22Z${holes.join("")}`;
  }

  function hit(action) {
    const [left, top] = gravity ? [PAD + action * CELL, 0] : [PAD + (action % columns) * CELL, PAD + Math.floor(action / columns) * CELL];
    const share = (part, whole) => `${(100 * part) / whole}%`;
    return h("button", {
      type: "button", class: "hit", tabindex: action === 0 ? "0" : "-1",
      style: { left: share(left, width), top: share(top, height), width: share(CELL, width), height: share(gravity ? height : CELL, height) },
      onclick: () => press(action),
      onpointerenter: () => preview(action),
      onpointerleave: () => ghost.replaceChildren(),
      onfocus: () => {
        buttons.forEach((button, other) => button.setAttribute("tabindex", other === action ? "0" : "-1"));
        preview(action);
      },
      onblur: () => ghost.replaceChildren(),
    });
  }

  const isLegal = (action) => state.playable && state.landing[action] !== null;
  const press = (action) => isLegal(action) && play(action);

  function preview(action) {
    ghost.replaceChildren();
    if (isLegal(action)) ghost.append(stone(state.side, centre(state.landing[action])));
  }

  // Arrows move between the columns or cells.
  function step(event) {
    const by = { ArrowLeft: -1, ArrowRight: 1, ...(gravity ? {} : { ArrowUp: -columns, ArrowDown: columns }) }[event.key];
    const at = buttons.indexOf(event.target);
    if (at < 0 || by === undefined) return;
    event.preventDefault();
    buttons[(at + by + buttons.length) % buttons.length].focus();
  }

  function drawStones(isNext) {
    if (!gravity) places.forEach((place, cell) => place.toggleAttribute("hidden", state.cells[cell] !== 0));
    stones.replaceChildren(...everyCell.filter((cell) => state.cells[cell]).map((cell) => {
      const drawn = stone(state.cells[cell], centre(cell));
      if (isNext && gravity && cell === state.last) {
        drawn.classList.add("drop");
        drawn.style.setProperty("--fall", `${lane / 2 - centre(cell)[1]}px`);
      }
      return drawn;
    }));
  }

  function drawMarks() {
    const ring = (name, radius) => (cell) => svg("circle", { class: name, cx: centre(cell)[0], cy: centre(cell)[1], r: radius });
    marks.replaceChildren(...(state.last === null ? [] : [ring("last", 46)(state.last)]), ...state.line.map(ring("won", 45)));
  }

  function drawChips() {
    const { scores, best } = state.hints;
    chips.replaceChildren(...scores.flatMap((score, action) => {
      if (score === null) return [];
      const [left, top] = gravity ? [x(action), lane / 2 - 4] : centre(action);
      const kind = score > 0 ? "win" : score < 0 ? "loss" : "even";
      return [svg("g", { class: `chip ${kind} ${best.includes(action) ? "best" : ""}`, transform: `translate(${left} ${top})` },
        svg("rect", { x: -44, y: -26, width: 88, height: 52, rx: 12 }), svg("text", { y: 11 }, signed(score)))];
    }));
  }

  function nameParts() {
    buttons.forEach((button, action) => {
      const place = gravity ? `Column ${names[action]}` : `Row ${Math.floor(action / columns) + 1}, column ${(action % columns) + 1}`;
      const content = gravity ? (state.landing[action] === null && state.playable ? ", full" : "") : state.cells[action] ? `, ${SIDES[state.cells[action]]}` : "";
      const score = state.hints.scores[action] ?? null;
      const hint = score === null ? "" : `, score ${signed(score)}${state.hints.best.includes(action) ? ", best" : ""}`;
      button.setAttribute("aria-label", place + content + hint);
      button.setAttribute("aria-disabled", String(!isLegal(action)));
    });
    const lines = Array.from({ length: rows }, (_, row) => state.cells.slice(row * columns, (row + 1) * columns).map((side) => SIDES[side] ?? "empty").join(" "));
    picture.setAttribute("aria-label", `${rows} rows from the top: ${lines.join("; ")}`);
  }

  function show(next) {
    const isNext = state !== null && next.ply === state.ply + 1;
    state = next;
    element.classList.toggle("playable", state.playable);
    ghost.replaceChildren();
    drawStones(isNext);
    drawMarks();
    drawChips();
    nameParts();
    const under = buttons.findIndex((button) => button.matches(":hover"));
    if (under >= 0) preview(under);
  }

  return { element, show, press };
}

function render({ model, el }) {
  const [status, advice, message] = [h("p", { class: "status", role: "status" }), h("p", { class: "advice", role: "status" }), h("p", { class: "message", role: "alert" })];
  const button = (name, title, onclick) => h("button", { type: "button", title, onclick }, name);
  const send = (type) => () => model.send({ type });
  const controls = {
    undo: button("Undo", "Take back the last move", send("undo")),
    redo: button("Redo", "Play the move again", send("redo")),
    new: button("New game", "Start from the empty board", send("new")),
    hints: button("Hints", "Exact score of every move", () => {
      model.set("hints", !model.get("hints"));
      model.save_changes();
    }),
    flip: button("Swap sides", "Let the agent play the other side", send("flip")),
  };
  const place = h("div");
  const root = h("div", { class: "inarow-board", "data-lm-suppress-shortcuts": "true", onkeydown: takeKey },
    status, place, advice, h("div", { class: "controls", role: "group", "aria-label": "Game" }, Object.values(controls)), message);
  let [board, size] = [null, ""];

  function draw() {
    const state = model.get("_shown");
    const wanted = [state.rows, state.columns, state.gravity].join();
    if (wanted !== size) {
      size = wanted;
      board = makeBoard(state, (action) => model.send({ type: "play", action, ply: model.get("_shown").ply }));
      place.replaceChildren(board.element);
    }
    board.show(state);
    status.textContent = state.status;
    root.classList.toggle("busy", state.busy);
    advice.textContent = state.hints.text;
    message.textContent = state.message;
    controls.undo.disabled = state.busy || !state.undo;
    controls.redo.disabled = state.busy || !state.redo;
    controls.flip.hidden = !state.flip;
    controls.hints.setAttribute("aria-pressed", String(model.get("hints")));
  }

  // Digits play a move. Keys that are used here do not reach the notebook, whose commands are single keys.
  function takeKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (/^[1-9]$/.test(event.key)) {
      event.preventDefault();
      board.press(Number(event.key) - 1);
    }
    if (/^([1-9]|Arrow.*|Enter| )$/.test(event.key)) event.stopPropagation();
  }

  model.on("change:_shown", draw);
  model.on("change:hints", draw);
  el.append(root);
  draw();
  return () => {
    model.off("change:_shown", draw);
    model.off("change:hints", draw);
  };
}

export default { render };
