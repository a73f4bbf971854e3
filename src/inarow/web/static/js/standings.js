// Cross tables, ratings and lists of games.

import { h, signed } from "./dom.js";

const WIDEST = 1000; // Elo: limit of the scale, since intervals can be very wide

export function crossTable({ agents, cross }) {
  return h("div", { class: "scroll" }, h("table", { class: "cross" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "word" }, "points / games"), agents.map((_, index) => h("th", { scope: "col" }, index + 1)), h("th", { scope: "col" }, "all"))),
    h("tbody", {}, agents.map((agent, row) => {
      const total = cross[row].reduce(([points, games], [p, g]) => [points + p, games + g], [0, 0]);
      return h("tr", {}, h("th", { scope: "row", class: "word" }, `${row + 1}  ${agent}`),
        cross[row].map(([points, games], column) => (row === column ? h("td", { class: "self" }) : cell(points, games))), cell(...total));
    }))));
}

function cell(points, games) {
  if (!games) return h("td", {}, "–");
  const share = points / games;
  return h("td", { class: share > 0.5 ? "ahead" : share < 0.5 ? "behind" : "" }, `${(100 * share).toFixed(0)} %`, h("small", {}, `${points}/${games}`));
}

// Ratings with their 95 % intervals on a common scale; `extra` adds columns [name, text of a row].
export function ratingTable(ratings, extra = []) {
  if (!ratings.length) return h("p", { class: "dim" }, "No games yet.");
  const low = Math.min(...ratings.map(({ elo, interval }) => Math.max(interval[0], elo - WIDEST))) - 40;
  const high = Math.max(...ratings.map(({ elo, interval }) => Math.min(interval[1], elo + WIDEST))) + 40;
  const at = (elo) => 100 * Math.min(1, Math.max(0, (elo - low) / (high - low)));
  return h("div", { class: "scroll" }, h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "word" }, "agent"), h("th", { scope: "col" }, "Elo"), h("th", { scope: "col" }, "95 %"), h("th", { scope: "col", class: "rating" }, h("span", { class: "unseen" }, "interval")), h("th", { scope: "col" }, "games"), extra.map(([name]) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, ratings.map((rating) => {
      const [from, to] = rating.interval;
      return h("tr", {}, h("th", { scope: "row", class: "word" }, rating.agent), h("td", {}, signed(rating.elo)), h("td", {}, `${signed(from)} to ${signed(to)}`),
        h("td", { class: "rating" }, h("span", { class: "span", style: { left: `${at(from)}%`, width: `${at(to) - at(from)}%` } }), h("span", { class: "dot", style: { left: `${at(rating.elo)}%` } })),
        h("td", {}, rating.games), extra.map(([, text]) => h("td", {}, text(rating))));
    }))));
}

export function gameList(games) {
  if (!games.length) return h("p", { class: "dim" }, "No games yet.");
  return h("ul", { class: "games" }, games.map((game) => {
    const query = new URLSearchParams({ board: game.board, moves: game.moves, first: game.first, second: game.second });
    const result = game.winner === 1 ? "X won" : game.winner === 2 ? "O won" : game.termination === "unfinished" ? "unfinished" : "draw";
    return h("li", {}, h("a", { href: `#/analyse?${query}` },
      h("span", { class: "who" }, `${game.first}  –  ${game.second}`), h("span", { class: "tag" }, game.termination === "normal" ? result : `${result}, ${game.termination}`)));
  }));
}
