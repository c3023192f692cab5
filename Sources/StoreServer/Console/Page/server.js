// Requests to the server, with the token, and the stream of its events.

import { given, quoted } from "./dom.js";

export class Refusal extends Error {
  constructor(sentence, status) { super(sentence); this.status = status; }
}

// The path of the store's servers: the root, or that of a store which a test has opened.
const base = location.pathname.replace(/console\/?$/, "");

const authorization = () => {
  const token = sessionStorage.getItem("token");
  return token ? { Authorization: "Bearer " + token } : {};
};

export const connection = { mayAct: false, instance: null, place: null, heard: () => {}, shown: () => {} };

export const query = (path, words) => `${path}?${given(words)}`;

async function refusal(answer) {
  if (answer.status === 401) askForToken();
  const value = await answer.json().catch(() => null);
  return new Refusal(value?.error?.message || value?.error || `the server answered with status ${answer.status}`, answer.status);
}

async function send(path, options) {
  try {
    return await fetch(base + path, { cache: "no-store", ...options,
      headers: { ...authorization(), ...options?.headers } });
  } catch (error) {
    if (options?.signal?.aborted) throw error;
    throw new Refusal("the server does not answer", 0);
  }
}

// Reads JSON below the page's path, as text.
export async function read(path, signal) {
  const answer = await send("console/" + path, { signal });
  if (!answer.ok) throw await refusal(answer);
  return answer.text();
}

export const request = async (path) => JSON.parse(await read(path));

// Performs a line of a scenario, and returns the answer as text.
export async function performed(line) {
  const answer = await send("control/v1/commands", {
    method: "POST", body: JSON.stringify({ line }),
    headers: { Accept: "text/plain", "Content-Type": "application/json" },
  });
  if (!answer.ok) throw await refusal(answer);
  return answer.text();
}

// Changes the server by a path of the control interface.
export async function changed(method, path, value) {
  const body = value === undefined ? undefined : JSON.stringify(value);
  const answer = await send("control/v1/" + path, { method, body, headers: { "Content-Type": "application/json" } });
  if (!answer.ok) throw await refusal(answer);
  // An answer that is not read is logged as a request that failed.
  await answer.text();
}

// Returns a command with its words quoted; options without a value are left out.
export function lineOf(name, words, options = {}) {
  const more = Object.entries(options).filter(([, word]) => word).flatMap(([option, word]) => ["--" + option, quoted(word)]);
  return [name, ...words.map(quoted), ...more].join(" ");
}

let source = null;
let watch = null;
let wait = 500;

// Listens by a request with the token, which an EventSource cannot send.
export async function connect() {
  source?.abort();
  const listening = new AbortController();
  source = listening;
  keepWatch();
  try {
    const place = connection.place ? "?after=" + encodeURIComponent(connection.place) : "";
    const answer = await send("console/events" + place, { signal: listening.signal });
    if (answer.status === 401) return askForToken();
    if (!answer.ok) throw await refusal(answer);
    connection.mayAct = true;
    await hearAll(answer.body.pipeThrough(new TextDecoderStream()).getReader(), listening);
  } catch {
    // The state of the page says it.
  }
  if (source === listening) lose();
}

async function hearAll(reader, listening) {
  for (let text = ""; source === listening;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (text + value).split("\n\n");
    text = events.pop();
    for (const event of events) {
      const fields = Object.fromEntries(event.split("\n").map((line) => {
        const end = line.indexOf(": ");
        return [line.slice(0, end), line.slice(end + 2)];
      }));
      keepWatch();
      if (fields.id) connection.place = fields.id;
      const data = JSON.parse(fields.data);
      if (fields.event === "hello") greet(data);
      connection.heard(fields.event, data);
    }
  }
}

function greet(hello) {
  wait = 500;
  hello.isRestart = connection.instance !== null && connection.instance !== hello.instance;
  if (hello.isRestart) connection.place = null;
  connection.instance = hello.instance;
  connection.shown("connected");
}

// Waits for the token of the server that is running now.
export function askForToken() {
  source?.abort();
  source = null;
  clearTimeout(watch);
  connection.mayAct = false;
  connection.shown("without a token");
}

// Restarts the timeout of the connection, on which the server sends an event every few seconds.
function keepWatch() {
  clearTimeout(watch);
  watch = setTimeout(lose, 20000);
}

function lose() {
  if (!source) return;
  source.abort();
  source = null;
  clearTimeout(watch);
  connection.shown("lost");
  setTimeout(() => source || connect(), wait);
  wait = Math.min(wait * 2, 5000);
}
