// The draw of an exploring learner with these values: flags, Boltzmann probabilities, and the amplitudes of the
// quantum draw in closed form (docs/explanation/exploration.md).

import { h, signed } from "./dom.js";
import { field } from "./pickers.js";
import { formatMove } from "./rules.js";

// Values of the legal moves -> for each {flagged, chance, amplitude} after `steps` of amplification. A move is flagged if
// its value is not negative; if there is none, all are flagged.
export function quantumDraw(values, temperature, steps) {
  const best = Math.max(...values);
  const weights = values.map((value) => Math.exp((value - best) / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const chances = weights.map((weight) => weight / total);
  const hopeful = values.map((value) => value >= 0);
  const flags = hopeful.some(Boolean) ? hopeful : hopeful.map(() => true);
  const mass = chances.reduce((sum, chance, index) => sum + (flags[index] ? chance : 0), 0);
  const rest = chances.reduce((sum, chance, index) => sum + (flags[index] ? 0 : chance), 0); // not 1 - mass, which may round to nothing
  const angle = (2 * steps + 1) * Math.atan2(Math.sqrt(mass), Math.sqrt(rest));
  return chances.map((chance, index) => ({
    flagged: flags[index],
    chance,
    amplitude: flags[index] ? Math.sin(angle) * Math.sqrt(chance / mass) : Math.cos(angle) * Math.sqrt(chance / (rest || 1)),
  }));
}

// A table below two sliders, which keep their values.
export function makeExploration() {
  const temperature = h("input", { type: "range", min: -1.5, max: 1.3, step: 0.05, value: -0.7, oninput: draw });
  const steps = h("input", { type: "range", min: 0, max: 4, step: 1, value: 1, oninput: draw });
  const place = h("div", { class: "scroll" });
  const caption = h("p", { class: "dim" });
  const element = h("details", {}, h("summary", {}, "Exploration with these values: flags, Boltzmann, amplitudes"), field("Temperature", temperature), field("Steps of amplification", steps), caption, place);
  let shown = null;

  function draw() {
    if (!shown) return;
    const heat = 10 ** Number(temperature.value);
    const known = shown.values.map((value, action) => [action, value]).filter(([, value]) => value !== null);
    const drawn = quantumDraw(known.map(([, value]) => value), heat, Number(steps.value));
    caption.textContent = `Temperature ${heat.toFixed(2)}, ${steps.value} steps of amplification. Squared amplitudes are the probabilities of the draw.`;
    place.replaceChildren(h("table", {},
      h("thead", {}, h("tr", {}, ["move", "flag", "Boltzmann", "amplitude", "probability"].map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, drawn.map(({ flagged, chance, amplitude }, index) => h("tr", {},
        h("th", { scope: "row" }, formatMove(known[index][0], shown.spec)), h("td", {}, flagged ? "⚑" : ""),
        h("td", {}, `${(100 * chance).toFixed(1)} %`), h("td", {}, signed(amplitude, 3)), h("td", {}, `${(100 * amplitude ** 2).toFixed(1)} %`))))));
  }

  return {
    element,
    show(values, spec) {
      shown = { values, spec };
      draw();
    },
  };
}
