// Which page is shown, the colours, and whether the lab is there.

import { h } from "./dom.js";
import { call, connect, onLink, takeToken } from "./lab.js";

const PAGES = { play: "Play", analyse: "Analyse", arena: "Arena", train: "Train" };
let leave = null;
let turn = 0;

async function show() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const name = PAGES[path] ? path : "play";
  const mine = ++turn;
  const page = await import(`./pages/${name}.js`);
  if (mine !== turn) return;
  leave?.();
  document.title = `${PAGES[name]} · inarow lab`;
  for (const link of document.querySelectorAll(".top nav a")) {
    if (link.hash === `#/${name}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  const main = document.getElementById("main");
  const root = h("div", { class: `page ${name}` });
  main.replaceChildren(root);
  leave = page.mount(root, new URLSearchParams(query ?? ""));
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
    place.textContent = text;
  };
  const check = async () => {
    try {
      const { ready } = await call("/api/health");
      if (ready) return say("connected", "ready");
      say("preparing", "compiling engines, first start only");
    } catch {
      say("reconnecting", "reconnecting");
    }
    setTimeout(check, 1000);
  };
  onLink((state) => (state === "connected" ? check() : say(state, state)));
}

takeToken();
setUpTheme();
setUpLink();
connect();
addEventListener("hashchange", show);
show();
