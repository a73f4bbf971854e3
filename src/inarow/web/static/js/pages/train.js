// Train: any learner of the lab, from a preset or a form; its curves during training, and a game against it.

import { makeCurves } from "../curves.js";
import { h, toast } from "../dom.js";
import { makeForm } from "../forms.js";
import { watchJobs } from "../jobs.js";
import { call, insist } from "../lab.js";
import { field } from "../pickers.js";

export function mount(root) {
  const panel = h("section", { class: "panel" }, h("h2", {}, "New run"), h("p", { class: "dim" }, "Loading …"));
  const head = h("div", { class: "column" }, h("p", { class: "dim" }, "Start a run to see its curves here."));
  const curves = makeCurves();
  const jobs = watchJobs("train", (job) => job.plan.name, draw);
  const buttons = jobs.makeButtons({ canPause: false });
  const title = h("p", {});
  const message = h("p", { class: "verdict blunder" });
  const game = h("a", { class: "button" }, "Play against it");
  const row = h("div", { class: "row" }, buttons.elements, game);
  let drawn = "";

  root.append(h("h1", { class: "unseen" }, "Train"), h("div", { class: "column" }, panel, jobs.element),
    h("div", { class: "column" }, h("section", { class: "panel" }, h("h2", {}, "Run"), head, curves.element)));
  const endSetUp = insist(() => call("/api/learners").then(setUp), (error) => panel.replaceChildren(h("h2", {}, "New run"), h("p", {}, error.message)));

  function setUp({ learners, presets }) {
    const names = Object.keys(presets);
    const select = h("select", { onchange: () => fill(select.value) }, names.map((name) => h("option", { value: name }, name)));
    const runName = h("input", { type: "text", class: "mono", maxlength: 64, pattern: "[A-Za-z0-9][A-Za-z0-9_\\-]*" });
    const place = h("div", {});
    let form = null;

    function fill(name) {
      const document_ = presets[name];
      form = makeForm(learners[document_.learner ?? "q"], document_);
      place.replaceChildren(form.element);
      runName.value = `${name}-${new Date().toISOString().slice(5, 19).replace(/[-:T]/g, "")}`;
    }

    async function start() {
      try {
        await jobs.start({ kind: "train", name: runName.value.trim(), document: form.read() });
        fill(select.value);
      } catch (error) {
        toast(error.message);
      }
    }

    panel.replaceChildren(h("h2", {}, "New run"), field("Preset", select), field("Name of the run", runName),
      h("button", { type: "button", class: "primary", onclick: start }, "Start"),
      h("details", {}, h("summary", {}, "Settings"), place));
    if (names.includes("tictactoe-q")) select.value = "tictactoe-q"; // seconds, not hours
    fill(select.value);
  }

  async function draw(job) {
    if (!job) return;
    const state = JSON.stringify([job.id, job.status, job.agent, job.message]);
    if (state !== drawn) {
      drawn = state;
      const { board, side } = job.plan.document;
      const players = side === "first" ? { first: job.agent ?? "", second: "human" } : { first: "human", second: job.agent ?? "" }; // the side that it learns
      const query = new URLSearchParams({ board: board ?? "6x7x4", moves: "", ...players });
      title.replaceChildren(h("b", {}, job.plan.name), " on ", board ?? "its board", ": ", h("span", { class: `tag ${job.status}` }, job.status));
      message.textContent = job.message ?? "";
      message.hidden = !job.message;
      game.href = `#/play?${query}`;
      game.hidden = !job.agent;
      buttons.show(job);
      if (!row.isConnected) head.replaceChildren(title, message, row);
    }
    await curves.show(await call(`/api/jobs/${job.id}/curve`));
  }

  return () => {
    endSetUp();
    jobs.close();
    curves.close();
  };
}
