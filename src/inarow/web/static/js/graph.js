// The evaluation of a game over its plies, for X: above the middle X is better. Mistakes are marked by shape and colour.

import { h, svg } from "./dom.js";

const [WIDTH, HEIGHT, LEFT, TOP] = [360, 150, 18, 12];

// `points`: one for each position or null: {value in [-1, 1] for X, exact}; `verdicts`: one label or null for each move.
export function makeGraph(onPick) {
  const element = svg("svg", { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "Evaluation over the moves" });
  let plies = 1;
  const x = (ply) => LEFT + (ply / Math.max(1, plies)) * (WIDTH - LEFT - 12);
  const y = (value) => TOP + ((1 - value) / 2) * (HEIGHT - 2 * TOP);

  element.addEventListener("click", (event) => {
    const box = element.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * WIDTH;
    onPick(Math.round(Math.min(1, Math.max(0, (at - LEFT) / (WIDTH - LEFT - 12))) * plies));
  });

  function area(points, above) {
    const known = points.map((point, ply) => point && [x(ply), y(above ? Math.max(0, point.value) : Math.min(0, point.value))]).filter(Boolean);
    if (known.length < 2) return null;
    return svg("path", { class: above ? "up" : "down", d: `M${known[0][0]} ${y(0)}L${known.map((each) => each.join(" ")).join("L")}L${known.at(-1)[0]} ${y(0)}Z` });
  }

  function show(points, verdicts, current) {
    plies = verdicts.length;
    const known = points.map((point, ply) => point && `${x(ply)} ${y(point.value)}`).filter(Boolean);
    const marks = verdicts.map((label, index) => {
      const point = points[index + 1];
      if (!point || (label !== "mistake" && label !== "blunder")) return null;
      const [px, py] = [x(index + 1), y(point.value)];
      const d = label === "blunder" ? `M${px} ${py - 8}l8 14h-16z` : `M${px - 6} ${py}l6 -6l6 6l-6 6z`;
      return svg("path", { class: `mark ${label}`, d }, svg("title", {}, `Move ${index + 1}: ${label}`));
    });
    element.replaceChildren(
      svg("text", { x: 4, y: TOP + 10 }, "X"),
      svg("text", { x: 4, y: HEIGHT - TOP }, "O"),
      svg("path", { class: "zero", d: `M${LEFT} ${y(0)}H${WIDTH - 12}` }),
      ...[area(points, true), area(points, false)].filter(Boolean),
      svg("path", { class: `line ${points.some((point) => point && !point.exact) ? "guess" : ""}`, d: known.length ? `M${known.join("L")}` : "" }),
      ...marks.filter(Boolean),
      svg("path", { class: "cursor", d: `M${x(current)} ${TOP}V${HEIGHT - TOP}` }),
    );
  }

  const legend = h("p", { class: "dim" }, "Above the line X is better, below it O. ◆ mistake: win to draw or draw to loss. ▲ blunder: win to loss.");
  return { element, legend, show };
}

// Exact scores on a scale that shows sooner wins as higher: from a score for the side to move to [-1, 1] for X.
export function evaluation(judged, ply, cells) {
  const forX = ply % 2 === 0 ? 1 : -1;
  if (judged.exact && judged.score !== null) {
    const size = Math.abs(judged.score) / Math.ceil(cells / 2);
    return { value: judged.score === 0 ? 0 : forX * Math.sign(judged.score) * (0.35 + 0.65 * Math.sqrt(size)), exact: true };
  }
  return judged.value === null || judged.value === undefined ? null : { value: forX * judged.value, exact: false };
}
