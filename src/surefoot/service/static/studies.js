// The list of studies, and the form for a new one.

import { call, patiently, trouble } from "./api.js";
import { byId, count, element, moment, setText } from "./dom.js";

const WORDS = { running: "running", best: "decided", infeasible: "no arm keeps the limit", undecided: "ended undecided", broken: "cannot be read" };

function row(study) {
  const status = element("span", { class: `status ${study.status}` }, WORDS[study.status] ?? study.status);
  const best = study.arm === null ? [] : [": ", element("bdi", {}, study.arm)];
  return element(
    "tr",
    {},
    element("th", { scope: "row", dir: "auto" }, element("a", { href: `/studies/${study.id}` }, study.name)),
    element("td", {}, status, ...best),
    element("td", { class: "number" }, count(study.pulls)),
    element("td", { class: "number" }, count(study.arms)),
    element("td", {}, study.risk),
    element("td", {}, moment(study.changed)),
  );
}

async function list() {
  const note = byId("list-note");
  try {
    const { studies, total } = await call("GET", "/api/studies");
    byId("list").hidden = !studies.length;
    const body = byId("list").querySelector("tbody");
    if (!body.contains(document.activeElement)) body.replaceChildren(...studies.map(row)); // nobody loses their place
    const shown = studies.length < total ? `The newest ${count(studies.length)} of ${count(total)} studies.` : "";
    setText(note, studies.length ? shown : "There is no study yet. Create the first one below.");
  } catch (error) {
    setText(note, `The studies cannot be listed: ${trouble(error)}. This page tries again by itself.`);
  }
}

// --- the form

const form = byId("create");
const inputs = [...form.querySelectorAll("[data-words]")];

// A number if it is one; if not, the text, for the service to say what is wrong with it.
function value(name) {
  const text = form.elements[name].value.trim();
  if (text === "") return undefined;
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
}

// What stands after a metric's name: as JSON has it, or a word.
function known(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// Several metrics, several limits, where there are any: instead of the risk and the range of the rewards.
function several(body, lines) {
  const [metrics, limits] = [lines("metrics"), lines("limits")];
  if (!metrics.length && !limits.length) return;
  body.limits = limits;
  body.baseline = form.elements.baseline.value.trim() || undefined;
  delete body.risk;
  delete body.risk_slack;
  if (!metrics.length) return;
  body.metrics = Object.fromEntries(
    metrics.map((line) => line.split(/=(.*)/s)).map(([name, value]) => [name.trim(), known((value ?? "").trim())]),
  );
  body.goal = form.elements.goals.value.trim() || body.goal;
  delete body.rewards;
}

// A list, or the number of items where a number is all there is.
function onItems(body, lines) {
  const names = lines("items");
  body.design = form.elements.design.value || undefined;
  if (names.length) body.items = typeof value("items") === "number" ? value("items") : names;
  if (form.elements.claim.value) body[form.elements.claim.value] = true;
}

form.elements.items.addEventListener("input", () => {
  form.elements.design.value = "items"; // who gives items means that arms are tried on them
});

function creation() {
  const text = (name) => form.elements[name].value.trim();
  const lines = (name) => text(name).split("\n").map((line) => line.trim()).filter(Boolean);
  const body = { name: text("name"), arms: lines("arms") };
  Object.assign(body, { risk: text("risk"), goal: text("goal") });
  for (const name of ["policy", "bounds"]) body[name] = text(name) || undefined; // the service has its defaults
  for (const name of ["delta", "tolerance", "risk_slack", "lease", "max_pulls", "subgaussian"]) body[name] = value(name);
  if (body.subgaussian === undefined) body.rewards = [value("low") ?? null, value("high") ?? null];
  several(body, lines);
  onItems(body, lines);
  return body;
}

// Show a sentence at the field it is about, or else below the form.
function complain(sentence) {
  const about = (input) => input.dataset.words.split("|").filter((word) => sentence.toLowerCase().startsWith(word));
  const longest = (input) => Math.max(0, ...about(input).map((word) => word.length));
  const input = inputs.reduce((best, next) => (longest(next) > longest(best) ? next : best));
  if (!longest(input)) return setText(byId("create-error"), sentence);
  const id = `${input.name}-error`;
  input.closest(".field").append(element("p", { class: "error", id, role: "alert" }, sentence));
  input.setAttribute("aria-invalid", "true");
  input.dataset.described = input.getAttribute("aria-describedby") ?? "";
  input.setAttribute("aria-describedby", `${id} ${input.dataset.described}`.trim());
  const details = input.closest("details");
  if (details) details.open = true;
  input.focus();
}

function forgive() {
  setText(byId("create-error"), "");
  for (const error of form.querySelectorAll(".field .error")) error.remove();
  for (const input of form.querySelectorAll("[aria-invalid]")) {
    input.removeAttribute("aria-invalid");
    if (input.dataset.described) input.setAttribute("aria-describedby", input.dataset.described);
    else input.removeAttribute("aria-describedby");
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  forgive();
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const study = await call("POST", "/api/studies", creation());
    location.assign(`/studies/${study.id}`);
  } catch (error) {
    complain(trouble(error));
  } finally {
    button.disabled = false;
  }
});

async function choices() {
  const book = await patiently(() => call("GET", "/openapi.json"), (why) => setText(byId("choices-note"), why));
  const { properties } = book.components.schemas.Creation;
  for (const name of ["policy", "bounds"]) {
    const named = properties[name].enum.filter((choice) => choice !== null);
    const options = named.map((choice) => element("option", { value: choice }, choice));
    form.elements[name].replaceChildren(element("option", { value: "" }, "whichever needs the fewest pulls (default)"), ...options);
  }
}

list();
setInterval(() => document.hidden || list(), 5000);
choices();
