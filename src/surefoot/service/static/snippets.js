// How to ask and tell, ready to copy. A study's id has no character that a shell or a string would mind.

import { token } from "./api.js";
import { byId, element } from "./dom.js";

function curl(id, { metrics }) {
  const key = token() ? ' \\\n  -H "Authorization: Bearer $SUREFOOT_TOKEN"' : "";
  const post = (what, body) =>
    `curl -s ${location.origin}/api/studies/${id}/${what}${key} \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`;
  const values = metrics && Object.fromEntries(Object.keys(metrics).map((name) => [name, 0.5]));
  const result = values ? `"values": ${JSON.stringify(values)}` : '"reward": 0.5';
  return `${post("ask", '{"count": 2}')}\n\n${post("tell", `{"results": [{"pull": 1, ${result}}]}`)}`;
}

function python(id, { metrics, design }) {
  const key = token() ? ', os.environ["SUREFOOT_TOKEN"]' : "";
  return `${token() ? "import os\n\n" : ""}import surefoot

study = surefoot.connect("${location.origin}/studies/${id}"${key})
while not study.decided:
    for pull in study.ask():
        study.tell(pull, measure(pull.arm${design === "items" ? ", pull.item" : ""}))  # your trial${metrics ? `: {"${Object.keys(metrics)[0]}": 0.5, …}` : ""}
print(study.decision)`;
}

async function copy(text, code) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    getSelection().selectAllChildren(code); // no clipboard but over https or on this machine
    document.execCommand("copy");
  }
}

function snippet(name, text) {
  const code = element("code", {}, text);
  const button = element("button", { type: "button", "aria-label": `Copy the ${name} snippet` }, "Copy");
  button.addEventListener("click", async () => {
    await copy(text, code);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  const head = element("div", { class: "snippet-head" }, element("h3", {}, name), button);
  return element("div", { class: "snippet" }, head, element("pre", { tabindex: "0" }, code));
}

export function showSnippets(id, problem) {
  byId("snippets").replaceChildren(snippet("curl", curl(id, problem)), snippet("Python", python(id, problem)));
}
