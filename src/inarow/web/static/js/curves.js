// The curve of a training run: one plot for each column, over the first counter column.

import { h } from "./dom.js";

const CLOCKS = ["episode", "step", "iteration", "epoch", "games", "generation"]; // the first of these that exists is the x axis
let loading = null;

// uPlot is loaded only when curves are shown.
function plotter() {
  loading ??= new Promise((resolve, reject) => {
    document.head.append(
      h("link", { rel: "stylesheet", href: "/static/vendor/uPlot.css" }),
      h("script", { src: "/static/vendor/uPlot.js", onload: () => resolve(globalThis.uPlot), onerror: () => reject(new Error("uPlot is missing")) }));
  });
  return loading;
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function makeCurves() {
  const element = h("div", { class: "curves" });
  let plots = new Map();
  let shape = "";

  // `{columns, rows}` in the form of the API.
  async function show({ columns, rows }) {
    if (!rows.length) {
      element.replaceChildren(h("p", { class: "dim" }, "The curve appears after its first point."));
      clear();
      return;
    }
    const UPlot = await plotter();
    const clock = Math.max(0, columns.indexOf(CLOCKS.find((name) => columns.includes(name))));
    const values = columns.map((_, column) => rows.map((row) => row[column] ?? null));
    const told = columns.map((_, column) => column).filter((column) => column !== clock && new Set(values[column]).size > 1);
    const wanted = told.map((column) => columns[column]).join();
    if (wanted !== shape) {
      clear();
      shape = wanted;
      element.replaceChildren(...told.map((column) => plotFor(UPlot, columns[column], columns[clock], column)));
    }
    for (const [column, plot] of plots) plot.setData([values[clock], values[column]]);
  }

  function plotFor(UPlot, name, clockName, column) {
    const place = h("div", {});
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--rule"), width: 1 }, ticks: { show: false }, font: "11px sans-serif" };
    const options = {
      width: 280,
      height: 150,
      legend: { show: false },
      cursor: { points: { size: 6 } },
      scales: { x: { time: false } },
      axes: [{ ...axis, space: 70, size: 28 }, { ...axis, size: 56 }],
      series: [{}, { stroke: colour("--accent"), width: 2, points: { show: false } }],
    };
    const plot = new UPlot(options, [[], []], place);
    plots.set(column, plot);
    new ResizeObserver(() => place.clientWidth && plot.setSize({ width: place.clientWidth, height: 150 })).observe(place);
    return h("section", { class: "curve", "aria-label": `${name} over ${clockName}` }, h("h3", {}, name.replaceAll("_", " "), h("span", { class: "dim" }, ` over ${clockName}`)), place);
  }

  function clear() {
    plots.forEach((plot) => plot.destroy());
    plots = new Map();
    shape = "";
  }

  const repaint = () => { shape = ""; };
  addEventListener("themechange", repaint);
  return { element, show, close: () => { removeEventListener("themechange", repaint); clear(); } };
}
