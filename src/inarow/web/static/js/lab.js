// The connection to the lab: calls over HTTP, questions over one socket, which reconnects.

const KEY = "inarow.token";
const listeners = new Set();
let socket = null;
let delay = 250;
let nextId = 1;
let declined; // the rejected token (or null for none) that the user did not replace
const open = new Map();

// The token is after the # of the address that the lab printed, when the page opens or later; it is kept for this tab.
export function takeToken() {
  const found = /^#token=([^&]+)/.exec(location.hash);
  if (found) {
    sessionStorage.setItem(KEY, decodeURIComponent(found[1]));
    history.replaceState(null, "", "#/play");
  }
}

const token = () => sessionStorage.getItem(KEY);

// Whether there is a token other than the rejected one. The user is asked once for any number of rejected calls, and not
// again after declining.
function hasOther(refused) {
  if (token() !== refused) return true;
  if (declined === refused) return false;
  const given = prompt("This lab asks for its token:")?.trim();
  if (given) sessionStorage.setItem(KEY, given);
  else declined = refused;
  return Boolean(given);
}

export async function call(path, { method = "GET", body } = {}) {
  const used = token();
  const headers = used ? { Authorization: `Bearer ${used}` } : {};
  const response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const answer = await response.json().catch(() => ({ error: `the lab answered ${response.status}` }));
  if (response.status === 401 && hasOther(used)) return call(path, { method, body });
  if (!response.ok) throw Object.assign(new Error(answer.error ?? `the lab answered ${response.status}`), { status: response.status });
  return answer;
}

export const fileAddress = (path) => `/runs/${path.split("/").map(encodeURIComponent).join("/")}${token() ? `?token=${encodeURIComponent(token())}` : ""}`;

// --- The socket ---

// Calls `listener` with "connected", "reconnecting" or, if the token was rejected, "refused". Returns a function that ends this.
export function onLink(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const tell = (state) => listeners.forEach((listener) => listener(state));

// Tries a task now and, until it succeeds, after every new connection. Returns a function that ends this.
export function insist(task, onError) {
  let isTrying = false;
  let again = false; // connected again meanwhile
  const attempt = async () => {
    again = isTrying;
    if (isTrying) return;
    isTrying = true;
    try {
      await task();
      again = false;
      end();
    } catch (error) {
      onError(error);
    }
    isTrying = false;
    if (again) attempt();
  };
  const end = onLink((state) => state === "connected" && attempt());
  attempt();
  return end;
}

export function connect() {
  const query = token() ? `?token=${encodeURIComponent(token())}` : "";
  socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/socket${query}`);
  socket.onopen = () => {
    delay = 250;
    declined = undefined;
    tell("connected");
    for (const [id, question] of open) send(id, question);
  };
  socket.onmessage = (event) => receive(JSON.parse(event.data));
  socket.onclose = () => {
    tell(declined === token() ? "refused" : "reconnecting");
    probe();
    setTimeout(connect, delay);
    delay = Math.min(4000, delay * 1.6);
  };
}

// A socket does not report why it closed; a call does, and asks for the token if it was rejected.
async function probe() {
  try {
    await call("/api/health");
  } catch (error) {
    if (error.status === 401 && socket.readyState !== WebSocket.OPEN) tell("refused");
  }
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

// Asks a question, and repeats it after a broken connection. `cancel` ends it silently.
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
// The data of the lab: version, boards, agents, levels. Requested once.
export const labFacts = () => (facts ??= call("/api/lab").catch((error) => {
  facts = undefined;
  throw error;
}));
