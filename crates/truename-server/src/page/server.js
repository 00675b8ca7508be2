// Calls of the server's own API.

import { ask, byId } from "./dom.js";

/** Longest wait before a call is tried again, in seconds. */
const LONGEST_WAIT_S = 30;
/** Number of times that a call is tried again while the server is busy. */
const RETRIES = 8;

/** An answer other than success, with the server's hint. */
export class ServerError extends Error {
  constructor(message, hint, status) {
    super(message);
    this.hint = hint;
    this.status = status;
  }
}

let base = null;
let keyAsked = null;

/** Sets the knowledge base of all later calls; null for the server's first. */
export function useBase(name) {
  base = name;
}

/** Returns the name of the knowledge base in use; null for the server's first. */
export const baseInUse = () => base;

/** Calls the API and returns the answer's JSON, or its text if `accept` says so. Options: `body`, `query`, `accept`,
 *  `signal`, and `retries` and `onWait` for a server that is busy. */
export async function call(path, options = {}) {
  const { retries = RETRIES, onWait = () => {}, signal } = options;
  for (let attempt = 0; ; attempt += 1) {
    const response = await send(path, options);
    if (response.ok) return options.accept?.startsWith("text/") ? response.text() : response.json();
    if (response.status === 401) {
      await askForKey(response);
      continue;
    }
    const isBusy = response.status === 503 || response.status === 429;
    if (!isBusy || attempt >= retries) throw await failure(response);
    const seconds = waitOf(response, attempt);
    onWait(seconds);
    await pause(seconds * 1000, signal);
  }
}

async function send(path, { body, query = {}, accept = "application/json", signal }) {
  const url = new URL(path, document.baseURI);
  if (base !== null && !("kb" in query)) url.searchParams.set("kb", base);
  for (const [name, values] of Object.entries(query)) {
    for (const value of [values].flat()) url.searchParams.append(name, value);
  }
  const headers = { Accept: accept };
  const key = storedKey();
  if (key) headers.Authorization = `Bearer ${key}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    const method = body === undefined ? "GET" : "POST";
    return await fetch(url, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError("The server does not answer.", "Is it still running?", 0);
  }
}

async function failure(response) {
  const said = await response.json().catch(() => ({}));
  return new ServerError(said.error ?? `The server answered ${response.status}.`, said.hint, response.status);
}

function waitOf(response, attempt) {
  const told = Number(response.headers.get("Retry-After"));
  return Math.min(LONGEST_WAIT_S, told > 0 ? told : 2 ** attempt);
}

/** Waits, unless the signal ends it. */
export function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new DOMException("cancelled", "AbortError"));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** The key lasts as long as the tab. */
let keyInMemory = null;

function storedKey() {
  try {
    return sessionStorage.getItem("truename key");
  } catch {
    return keyInMemory;
  }
}

/** Returns whether calls carry an API key. The server then knows the user by it. */
export const hasKey = () => Boolean(storedKey());

function storeKey(key) {
  keyInMemory = key;
  try {
    sessionStorage.setItem("truename key", key);
  } catch {
    /* It lasts as long as the page. */
  }
}

/** Asks for the API key, once for all calls that wait for it. */
async function askForKey(response) {
  const refused = storedKey() !== null;
  const error = await failure(response);
  keyAsked ??= (async () => {
    byId("key-refused").hidden = !refused;
    byId("key").value = "";
    const answer = await ask(byId("key-dialog"));
    if (answer === null || byId("key").value === "") throw error;
    storeKey(byId("key").value.trim());
  })().finally(() => {
    keyAsked = null;
  });
  await keyAsked;
}
