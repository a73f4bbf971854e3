// Choosing boards and agents: a list of common choices, and a text field for all others.

import { h } from "./dom.js";
import { parseBoard } from "./rules.js";

let unique = 0;

export function field(label, control, note) {
  control.id ||= `field-${++unique}`;
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control, note && h("p", { class: "dim" }, note));
}

// A board string: a common one, or typed.
export function boardPicker(facts, value, onChange) {
  const custom = h("input", { type: "text", value, spellcheck: "false", "aria-label": "Board string", class: "mono", maxlength: 16 });
  const select = h("select", {}, facts.boards.map(({ name, board }) => h("option", { value: board }, `${name}  ${board}`)), h("option", { value: "" }, "Other …"));
  const isUsual = (board) => facts.boards.some((each) => each.board === board);
  const sync = (board) => {
    select.value = isUsual(board) ? board : "";
    custom.value = board;
    custom.hidden = isUsual(board);
  };
  const accept = (board) => {
    try {
      onChange(parseBoard(board).text);
      custom.setCustomValidity("");
    } catch (error) {
      custom.setCustomValidity(error.message);
      custom.reportValidity();
    }
  };
  select.addEventListener("change", () => {
    custom.hidden = select.value !== "";
    if (select.value) accept(select.value);
    else custom.focus();
  });
  custom.addEventListener("change", () => accept(custom.value.trim()));
  sync(value);
  return { element: h("div", { class: "picker" }, field("Board", select), custom), set: sync };
}

const levelText = ({ level, elo }) => `Level ${level}${level === 10 ? ", perfect" : ""}  (${elo >= 0 ? "+" : "−"}${Math.abs(Math.round(elo))} Elo)`;

// An agent string; with `person`, also "human". The text field below the list accepts any parameters.
export function agentPicker(facts, label, value, onChange, { person = true } = {}) {
  const select = h("select", {},
    person && h("option", { value: "human" }, "A person"),
    h("optgroup", { label: "Levels" }, facts.levels.map((level) => h("option", { value: level.level === 10 ? "solver" : `solver:level=${level.level}` }, levelText(level)))),
    h("optgroup", { label: "Agents" }, facts.agents.filter(({ name }) => name !== "solver").map(({ name }) => h("option", { value: name }, name))),
    h("option", { value: "" }, "Other …"));
  const text = h("input", { type: "text", value, spellcheck: "false", class: "mono", "aria-label": `${label}: agent string`, maxlength: 1000 });
  const help = h("div", { class: "dim help" });
  const knows = (agent) => [...select.options].some((option) => option.value === agent && agent);
  const explain = (agent) => {
    const kind = facts.agents.find(({ name }) => name === agent.split(":")[0]);
    help.replaceChildren();
    if (!kind || agent === "human") return;
    help.append(h("p", {}, kind.summary));
    if (kind.parameters.length) {
      help.append(h("details", {}, h("summary", {}, "Parameters"),
        h("dl", {}, kind.parameters.map(({ name, default: usual, summary, kind: type }) => [h("dt", {}, h("code", {}, `${name}=${usual}`)), h("dd", {}, summary || type)]))));
    }
  };
  const sync = (agent) => {
    select.value = knows(agent) ? agent : "";
    text.value = agent;
    text.hidden = agent === "human" || agent.startsWith("solver");
    explain(agent);
  };
  select.addEventListener("change", () => {
    if (select.value) {
      sync(select.value);
      onChange(select.value);
    } else {
      text.hidden = false;
      text.focus();
    }
  });
  text.addEventListener("change", () => {
    sync(text.value.trim());
    onChange(text.value.trim());
  });
  sync(value);
  return { element: h("div", { class: "picker" }, field(label, select), text, help), set: sync, get value() { return text.value.trim(); } };
}
