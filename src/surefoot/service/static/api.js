// Calls of the service, with a token if it wants one; and a study's events as they come.

import { byId, setText } from "./dom.js";

const KEY = "surefoot-token";

export const token = () => sessionStorage.getItem(KEY);

const headers = () => (token() ? { Authorization: `Bearer ${token()}` } : {});

export class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

async function refusal(response) {
  let detail = `the service answered ${response.status}`;
  try {
    detail = (await response.json()).detail ?? detail;
  } catch {
    // no JSON: the status has to do
  }
  return new Refused(response.status, detail);
}

let asking = null;

function askForToken(why) {
  asking ??= new Promise((resolve) => {
    const dialog = byId("token-dialog");
    const form = byId("token-form");
    const input = byId("token");
    setText(byId("token-why"), why);
    input.value = "";
    dialog.addEventListener("cancel", (event) => event.preventDefault(), { once: true });
    form.addEventListener(
      "submit",
      () => {
        sessionStorage.setItem(KEY, input.value.trim());
        asking = null;
        resolve();
      },
      { once: true },
    );
    dialog.showModal();
  });
  return asking;
}

async function send(path, options) {
  for (;;) {
    const response = await fetch(path, { ...options, headers: { ...options.headers, ...headers() } });
    if (response.ok) return response;
    const error = await refusal(response);
    if (error.status !== 401) throw error;
    await askForToken(token() ? `The token was refused: ${error.message}.` : "");
  }
}

export async function call(method, path, body) {
  const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  const response = await send(path, { method, ...json });
  return response.status === 204 ? null : response.json();
}

// What is wrong, for somebody who can only wait: the service's own sentence, or ours if there is no answer.
export function trouble(error) {
  return error instanceof Refused ? error.message : "the service does not answer";
}

const waiting = (error) => {
  const words = trouble(error);
  return `${words[0].toUpperCase()}${words.slice(1)}. This page tries again by itself.`;
};

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const longer = (pause) => Math.min(2 * pause, 10000);

// Do something until it works, and `say` meanwhile what is wrong. What the service refuses, it would refuse again.
export async function patiently(work, say) {
  for (let pause = 500; ; pause = longer(pause)) {
    try {
      const found = await work();
      say("");
      return found;
    } catch (error) {
      if (error instanceof Refused && error.status < 500) throw error;
      say(waiting(error));
    }
    await sleep(pause);
  }
}

const SILENCE = 45000; // milliseconds: three times what the service lets pass between two signs of life

// EventSource cannot send a token, so the stream is read by hand. `told` is called with each event's type; `say` with what
// is wrong, or with "" if nothing is. Goes on by itself after an interruption, from the last event it had.
export async function follow(path, since, told, say) {
  for (let pause = 500; ; pause = longer(pause)) {
    const stop = new AbortController();
    let watch = null;
    const heard = () => {
      clearTimeout(watch);
      watch = setTimeout(() => stop.abort(), SILENCE);
    };
    try {
      const options = { headers: { Accept: "text/event-stream" }, signal: stop.signal };
      const response = await send(`${path}?since=${since}`, options);
      say("");
      heard();
      pause = 500;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) throw new Error("the stream has ended");
        heard();
        const blocks = (text + value).split("\n\n");
        text = blocks.pop();
        for (const block of blocks) {
          const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s)));
          if (fields.id) since = Number(fields.id);
          if (fields.event === "gone") return told("gone");
          if (fields.event === "damaged") throw new Refused(500, JSON.parse(fields.data).detail);
          if (fields.event === "waiting") say(waiting(new Refused(503, JSON.parse(fields.data).detail)));
          else if (fields.event === "resumed") say("");
          else if (fields.event) told(fields.event);
        }
      }
    } catch (error) {
      // No such study, or another one of its name, which has fewer events than we have seen.
      if (error instanceof Refused && [404, 409].includes(error.status)) return told("gone");
      say(waiting(error));
    } finally {
      clearTimeout(watch);
    }
    await sleep(pause);
  }
}
