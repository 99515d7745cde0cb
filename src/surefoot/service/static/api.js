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

// EventSource cannot send a token, so the stream is read by hand. `told` is called with each event's type; `state` with
// whether we hear the service. Goes on by itself after an interruption, from the last event it had.
export async function follow(path, since, told, state) {
  let pause = 500;
  for (;;) {
    try {
      const response = await send(`${path}?since=${since}`, { headers: { Accept: "text/event-stream" } });
      state(true);
      pause = 500;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        const blocks = (text + value).split("\n\n");
        text = blocks.pop();
        for (const block of blocks) {
          const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s)));
          if (fields.id) since = Number(fields.id);
          if (fields.event) told(fields.event);
          if (fields.event === "gone") return;
        }
      }
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return told("gone");
    }
    state(false);
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(2 * pause, 10000);
  }
}
