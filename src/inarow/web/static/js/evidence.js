// The data of an agent about its decision, as bars: a row for each move, a column for each kind of data.

import { h, number, signed } from "./dom.js";
import { makeExploration } from "./exploration.js";
import { formatMove } from "./rules.js";

const MAX_ROWS = 12;
const LEARNT = /^(q|dqn|window|[\w-]+\/q)(:|$)/; // agents whose scores are learnt action values
const KINDS = {
  scores: { name: "score", title: "the agent's own evaluation of each move", text: (value) => (Number.isInteger(value) ? signed(value) : signed(value, 2)), centred: true },
  policy: { name: "policy", title: "the probability or share of each move", text: (value) => `${(100 * value).toFixed(value < 0.1 ? 1 : 0)} %`, most: 1 },
  visits: { name: "visits", title: "the number of visits of each move by the search", text: (value) => number(value) },
};

// Lists in the details with one number per move are shown as columns, too.
function columnsOf(evidence, spec) {
  const columns = Object.entries(KINDS)
    .filter(([key]) => Array.isArray(evidence[key]))
    .map(([key, kind]) => ({ ...kind, values: evidence[key] }));
  for (const [name, values] of Object.entries(evidence.details ?? {})) {
    const isPerMove = Array.isArray(values) && values.length === spec.actions && values.every((value) => value === null || typeof value === "number" || typeof value === "boolean");
    if (isPerMove) {
      const numbers = values.map((value) => (value === null ? null : Number(value)));
      columns.push({ name: name.replaceAll("_", " "), title: name, values: numbers, text: (value) => (Number.isInteger(value) ? String(value) : signed(value, 2)), centred: numbers.some((value) => value < 0) });
    }
  }
  return columns;
}

function rowsOf(evidence, columns, spec) {
  const known = Array.from({ length: spec.actions }, (_, action) => action)
    .filter((action) => columns.some(({ values }) => values[action] !== null && values[action] !== undefined));
  if (known.length <= MAX_ROWS) return known;
  const weight = evidence.visits ?? evidence.policy ?? columns[0].values;
  return known.sort((a, b) => (weight[b] ?? -Infinity) - (weight[a] ?? -Infinity)).slice(0, MAX_ROWS);
}

function bar(value, { values, most, centred, text }) {
  if (value === null || value === undefined) return h("td", { class: "bar" });
  const top = most ?? Math.max(1e-9, ...values.map((each) => Math.abs(each ?? 0)));
  const part = Math.min(1, Math.abs(value) / top);
  const width = centred ? part / 2 : part;
  const left = centred ? (value < 0 ? 0.5 - width : 0.5) : 0;
  return h("td", { class: "bar" },
    h("span", { class: "track" }, h("span", { class: `fill ${centred && value < 0 ? "below" : ""}`, style: { left: `${100 * left}%`, width: `${100 * width}%` } })),
    h("span", { class: "figure" }, text(value)));
}

function facts(evidence) {
  const details = evidence.details ?? {};
  const simple = Object.entries(details).filter(([, value]) => value !== null && ["string", "number", "boolean"].includes(typeof value));
  const rows = [
    evidence.value !== undefined && ["value", signed(evidence.value, 3)],
    evidence.score !== undefined && ["exact score", signed(evidence.score)],
    evidence.depth !== undefined && ["depth", number(evidence.depth)],
    evidence.nodes !== undefined && ["nodes", number(evidence.nodes)],
    evidence.seconds !== undefined && ["seconds", evidence.seconds.toFixed(3)],
    ...simple.map(([name, value]) => [name.replaceAll("_", " "), typeof value === "number" ? number(value, Number.isInteger(value) ? 0 : 3) : String(value)]),
  ].filter(Boolean);
  return h("dl", { class: "facts" }, rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

// A panel; `show(evidence, spec, {agent, live})` fills it.
export function makeEvidence() {
  const element = h("div", { class: "evidence" });
  const exploration = makeExploration();

  function show(evidence, spec, { agent, live = false }) {
    const columns = columnsOf(evidence, spec);
    const rows = columns.length ? rowsOf(evidence, columns, spec) : [];
    element.replaceChildren(
      h("p", { class: "agent" }, h("code", {}, agent), h("span", { class: live ? "live" : "" }, live ? "thinking" : `played ${formatMove(evidence.action, spec)}`)),
      rows.length
        ? h("div", { class: "scroll" }, h("table", {},
            h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "move"), columns.map(({ name, title }) => h("th", { scope: "col", title }, name)))),
            h("tbody", {}, rows.map((action) =>
              h("tr", { class: action === evidence.action ? "chosen" : "" },
                h("th", { scope: "row" }, formatMove(action, spec)),
                columns.map((column) => bar(column.values[action], column)))))))
        : h("p", { class: "dim" }, "This agent has no data about single moves."),
      facts(evidence),
      ...(LEARNT.test(agent) && evidence.scores && spec.actions <= MAX_ROWS ? [exploration.element] : []),
    );
    if (exploration.element.isConnected) exploration.show(evidence.scores, spec);
  }

  function clear(text = "Nothing yet: it appears when an agent moves.") {
    element.replaceChildren(h("p", { class: "dim" }, text));
  }

  clear();
  return { element, show, clear };
}
