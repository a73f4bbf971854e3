// Jobs of the lab: a list, updated every second while the page is visible, and the actions on jobs.

import { h, toast } from "./dom.js";
import { call } from "./lab.js";

const EVERY = 1000;
const ACTIONS = { pause: "Pause", resume: "Resume", stop: "Stop", forget: "Forget" };

// Watches the jobs of a kind; `onJob(job)` gets the chosen one in full whenever it may have changed.
export function watchJobs(kind, title, onJob) {
  const list = h("ul", { class: "jobs" });
  const element = h("section", { class: "panel" }, h("h2", {}, "Jobs"), list);
  let chosen = null;
  let timer = null;
  let isOpen = true;
  let drawn = "";

  async function refresh() {
    clearTimeout(timer);
    try {
      const jobs = (await call("/api/jobs")).filter((job) => job.plan.kind === kind);
      if (!isOpen) return;
      list.removeAttribute("title");
      if (!jobs.some((job) => job.id === chosen)) chosen = jobs[0]?.id ?? null;
      draw(jobs);
      const job = chosen === null ? null : await call(`/api/jobs/${chosen}`);
      if (isOpen && (job === null || job.id === chosen)) await onJob(job);
    } catch (error) {
      if (isOpen) list.title = error.message; // the next request may succeed: the lab may be restarting
    }
    if (isOpen) timer = setTimeout(refresh, EVERY);
  }

  // Only changed entries are redrawn: a replaced button loses a click in progress.
  function draw(jobs) {
    const state = JSON.stringify([chosen, jobs.map((job) => [job.id, title(job), job.status])]);
    if (state === drawn) return;
    drawn = state;
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.job : null;
    list.replaceChildren(...(jobs.length ? jobs.map(entry) : [h("li", { class: "dim" }, "None yet.")]));
    if (focused) list.querySelector(`[data-job="${focused}"]`)?.focus();
  }

  const entry = (job) => h("li", {}, h("button", { type: "button", "data-job": job.id, "aria-current": job.id === chosen ? "true" : undefined, onclick: () => choose(job.id) },
    h("span", { class: "title" }, `${job.id}  ${title(job)}`), h("span", { class: `tag ${job.status}` }, job.status)));

  function choose(id) {
    chosen = id;
    refresh();
  }

  async function act(job, action) {
    try {
      if (action === "forget") await call(`/api/jobs/${job.id}`, { method: "DELETE" });
      else await call(`/api/jobs/${job.id}/${action}`, { method: "POST" });
    } catch (error) {
      toast(error.message);
    }
    refresh();
  }

  async function start(plan) {
    const job = await call("/api/jobs", { method: "POST", body: plan });
    choose(job.id);
    return job;
  }

  // Permanent buttons; `show(job)` shows those that fit its state. If the focused button is hidden, the focus moves to the first new one.
  function makeButtons({ canPause }) {
    let job = null;
    const buttons = Object.fromEntries(Object.entries(ACTIONS).map(([action, name]) => [action,
      h("button", { type: "button", hidden: true, class: action === "resume" ? "primary" : "", onclick: () => act(job, action) }, name)]));

    function show(given) {
      job = given;
      const can = {
        pause: canPause && job.status === "running",
        resume: ["paused", "stopped", "interrupted", "failed"].includes(job.status),
        stop: ["waiting", "running", "paused"].includes(job.status),
        forget: ["stopped", "interrupted", "failed", "finished"].includes(job.status),
      };
      const focused = document.activeElement;
      for (const action of Object.keys(ACTIONS)) buttons[action].hidden = !can[action];
      const next = ["pause", "resume", "stop"].find((action) => can[action]);
      if (next && focused?.hidden && Object.values(buttons).includes(focused)) buttons[next].focus();
    }

    return { elements: Object.values(buttons), show };
  }

  refresh();
  return { element, start, makeButtons, close: () => { isOpen = false; clearTimeout(timer); } };
}
