// The current page, the colour theme, and the state of the connection.

import { h, setText } from "./dom.js";
import { call, connect, onLink, takeToken } from "./lab.js";

const PAGES = new Map(Object.entries({ play: "Play", analyse: "Analyse", arena: "Arena", train: "Train" })
  .map(([name, title]) => [name, { title, module: `./pages/${name}.js` }]));
const added = addPages().catch(() => {}); // the lab may be unreachable
const LINKS = { refused: "token refused; reload to enter it" }; // states that need more words
let leave = null;
let turn = 0;

async function show() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const mine = ++turn;
  if (path && !PAGES.has(path)) await added;
  const name = PAGES.has(path) ? path : "play";
  const { title, module } = PAGES.get(name);
  const page = await import(module).catch((error) => ({ mount: (root) => apologise(root, title, error) }));
  if (mine !== turn) return;
  leave?.();
  document.title = `${title} · inarow lab`;
  for (const link of document.querySelectorAll(".top nav a")) {
    if (link.hash === `#/${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const main = document.getElementById("main");
  const root = h("div", { class: `page ${name}` });
  main.replaceChildren(root);
  leave = page.mount(root, new URLSearchParams(query ?? ""));
}

// Pages of other packages: the lab lists them and serves their modules.
async function addPages() {
  const nav = document.querySelector(".top nav");
  for (const { name, title, module } of await (await fetch("/pages.json")).json()) {
    if (PAGES.has(name)) continue;
    PAGES.set(name, { title, module });
    nav.append(h("a", { href: `#/${name}` }, title));
  }
}

// Shown instead of a page that could not be loaded: the lab may be unreachable.
function apologise(root, title, error) {
  root.append(h("section", { class: "panel", role: "alert" }, h("h1", {}, title), h("p", {}, `This page did not load: ${error.message}`),
    h("div", {}, h("button", { type: "button", onclick: () => location.reload() }, "Reload"))));
}

function setUpSkipLink() {
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the page is after the #
    document.getElementById("main").focus();
  });
}

function setUpTheme() {
  const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  document.getElementById("theme").addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    localStorage.setItem("inarow.theme", next);
    dispatchEvent(new Event("themechange"));
  });
}

function setUpLink() {
  const place = document.getElementById("link");
  const say = (state, text) => {
    place.dataset.state = state;
    setText(place, text);
  };
  let isLinked = false;
  let timer = null;
  const check = async () => {
    const health = await call("/api/health").catch(() => null);
    if (!isLinked) return;
    if (health?.ready) return say("connected", "ready");
    if (health) say("preparing", "compiling engines, first start only");
    else say("reconnecting", "reconnecting");
    clearTimeout(timer);
    timer = setTimeout(check, 1000);
  };
  onLink((state) => {
    isLinked = state === "connected";
    if (isLinked) check();
    else say(state, LINKS[state] ?? state);
  });
}

takeToken();
setUpSkipLink();
setUpTheme();
setUpLink();
connect();
addEventListener("hashchange", () => {
  takeToken();
  show();
});
show();
