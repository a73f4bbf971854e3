// The lab behind the page: calls over HTTP, questions over one socket that always comes back.

const KEY = "inarow.token";
const listeners = new Set();
let socket = null;
let delay = 250;
let nextId = 1;
const open = new Map();

// A token comes after the # of the address that the lab printed, and is kept for this tab.
export function takeToken() {
  const found = /^#token=([^&]+)/.exec(location.hash);
  if (found) {
    sessionStorage.setItem(KEY, decodeURIComponent(found[1]));
    history.replaceState(null, "", "#/play");
  }
}

const token = () => sessionStorage.getItem(KEY);

export async function call(path, { method = "GET", body } = {}) {
  const headers = token() ? { Authorization: `Bearer ${token()}` } : {};
  const response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const answer = await response.json().catch(() => ({ error: `the lab answered ${response.status}` }));
  if (response.status === 401) {
    const given = prompt("This lab asks for its token:");
    if (given) {
      sessionStorage.setItem(KEY, given);
      return call(path, { method, body });
    }
  }
  if (!response.ok) throw new Error(answer.error ?? `the lab answered ${response.status}`);
  return answer;
}

export const fileAddress = (path) => `/runs/${path.split("/").map(encodeURIComponent).join("/")}${token() ? `?token=${encodeURIComponent(token())}` : ""}`;

// --- The socket ---

export function onLink(listener) {
  listeners.add(listener);
}

const tell = (state) => listeners.forEach((listener) => listener(state));

export function connect() {
  const query = token() ? `?token=${encodeURIComponent(token())}` : "";
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/socket${query}`);
  socket.onopen = () => {
    delay = 250;
    tell("connected");
    for (const [id, question] of open) send(id, question);
  };
  socket.onmessage = (event) => receive(JSON.parse(event.data));
  socket.onclose = () => {
    tell("reconnecting");
    setTimeout(connect, delay);
    delay = Math.min(4000, delay * 1.6);
  };
}

function send(id, question) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ ...question.request, id }));
}

function receive({ type, id, data, error }) {
  const question = open.get(id);
  if (!question) return;
  if (type === "progress") return question.progress?.(data);
  open.delete(id);
  if (type === "answer") question.resolve(data);
  else question.reject(new Error(error));
}

// Asks; the same question is asked again after a broken connection. `cancel` ends it silently.
export function ask(request, progress) {
  const id = nextId++;
  let cancel;
  const answer = new Promise((resolve, reject) => {
    const question = { request, progress, resolve, reject };
    open.set(id, question);
    send(id, question);
    cancel = () => {
      if (open.delete(id)) send(id, { request: { type: "cancel" } });
    };
  });
  return { answer, cancel };
}

let facts;
// What the lab is and has: version, boards, agents, levels. Asked once.
export const labFacts = () => (facts ??= call("/api/lab").catch((error) => {
  facts = undefined;
  throw error;
}));
