"use strict";

// Each stone has its ply; a position shows the stones up to its ply. The page contains all texts.
function setUp(replay) {
  if (replay.isSetUp) return; // a notebook runs this script for each of its games
  replay.isSetUp = true;
  const { captions, scores, best, start } = JSON.parse(replay.querySelector("script").textContent);
  const last = captions.length - 1;
  const slider = replay.querySelector("input");
  const graph = replay.querySelector(".evaluation");
  const stones = replay.querySelectorAll(".board [data-ply]");
  const moves = replay.querySelectorAll(".moves button");
  const scoreTexts = replay.querySelectorAll(".score");
  let current = last;

  function show(ply) {
    current = Math.min(Math.max(ply, 0), last);
    slider.value = current;
    replay.querySelector(".caption").textContent = captions[current];
    for (const stone of stones) {
      stone.classList.toggle("later", Number(stone.dataset.ply) > current);
      stone.classList.toggle("newest", Number(stone.dataset.ply) === current);
    }
    for (const text of scoreTexts) {
      const action = Number(text.dataset.action);
      text.textContent = scores[current][action] ?? "";
      text.classList.toggle("best", best[current].includes(action));
    }
    for (const move of moves) {
      if (Number(move.dataset.ply) === current) move.setAttribute("aria-current", "step");
      else move.removeAttribute("aria-current");
    }
    for (const [name, target] of Object.entries({ first: 0, previous: 0, next: last, last })) {
      replay.querySelector(`[data-go=${name}]`).setAttribute("aria-disabled", current === target);
    }
    if (graph) {
      const x = Number(graph.dataset.left) + current * Number(graph.dataset.step);
      graph.querySelector(".cursor").setAttribute("x1", x);
      graph.querySelector(".cursor").setAttribute("x2", x);
    }
  }

  const steps = {
    first: () => show(0),
    previous: () => show(current - 1),
    next: () => show(current + 1),
    last: () => show(last),
  };
  const keys = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" };

  replay.addEventListener("keydown", (event) => {
    if (!(event.key in keys) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation(); // a notebook has its own arrow keys
    steps[keys[event.key]]();
  });
  replay.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) button.dataset.go ? steps[button.dataset.go]() : show(Number(button.dataset.ply));
  });
  slider.addEventListener("input", () => show(Number(slider.value)));
  graph?.addEventListener("click", (event) => {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(graph.getScreenCTM().inverse());
    show(Math.round((place.x - graph.dataset.left) / graph.dataset.step));
  });
  let watched = start;
  window.addEventListener("beforeprint", () => { watched = current; show(last); });
  window.addEventListener("afterprint", () => show(watched));
  show(start);
}

document.querySelectorAll(".replay").forEach(setUp);
