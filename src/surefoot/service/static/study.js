// A study's page: how it stands, drawn anew as its journal grows.

import { call, follow, patiently, trouble } from "./api.js";
import { showArms } from "./arms.js";
import { byId, clock, count, element, lowerIsBetter, moment, plural, setText, show } from "./dom.js";
import { drawPlane } from "./plane.js";
import { showSnippets } from "./snippets.js";

const ARMS = 200; // shown at most
const id = location.pathname.split("/").pop();
const path = `/api/studies/${id}`;
let latest = null;

function showStudy(study) {
  if (latest && latest.created !== study.created) return location.reload(); // another study by the same name
  latest = study;
  document.title = `${study.name} · Surefoot`;
  setText(byId("name"), study.name);
  const { limits } = study;
  const among = limits.length ? ` among those with ${limits.map(({ limit }) => limit).join(" and ")}` : "";
  const goal = study.arms[0]?.goal.quantity ?? "mean";
  setText(byId("plane-title"), limits.length > 1 ? "Goal and limits" : limits.length ? "Mean and risk" : "Means");
  setText(byId("question"), `Which arm has the ${lowerIsBetter(study) ? "smallest" : "largest"} ${goal}${among}? The decision will be wrong with probability at most ${study.problem.delta}.`);
  showItems(study);
  showDecision(study);
  showWarnings(study);
  showRecent(study);
  showArms(study);
  showFacts(study);
  showLink();
  byId("close").disabled = study.decided;
  drawPlane(study);
}

// What is wrong, by who found out, the stream of events or a look at the study; empty if nothing is.
const wrong = { stream: null, look: "" };
let gone = false;

const sayOf = (who) => (why) => {
  wrong[who] = why;
  showLink();
};

function showLink() {
  const why = gone ? "" : wrong.stream || wrong.look;
  setText(byId("trouble"), why);
  if (gone) setText(byId("link"), latest ? "deleted" : "");
  else if (why) setText(byId("link"), latest ? "not up to date" : "");
  else if (wrong.stream !== null) setText(byId("link"), latest.decided ? "ended" : "live");
}

// What the arms are tried on, and how far they are.
function showItems({ problem, arms }) {
  const note = byId("items");
  note.hidden = problem.design !== "items" && problem.design !== "rounds";
  if (note.hidden) return;
  if (problem.design === "rounds") {
    setText(note, "All arms that may still be the answer are tried together, in rounds. Ask for a round, and tell all its results before the next.");
    return;
  }
  const done = Math.max(0, ...arms.map(({ pulls }) => pulls));
  const { count: all, finite, replacement } = problem.items;
  const order = replacement ? "drawn with replacement, in one random order" : "in one random order";
  const what = all ? `${plural(all, "item")}, ${order}` : "items, an endless stream";
  const far = all && !replacement ? `${count(done)} of the ${count(all)}` : plural(done, "item");
  const about = finite ? " The answer is about exactly these items, each tried once." : "";
  setText(note, `All arms are tried on the same ${what}.${about} The arm that is furthest has results on ${far}.`);
}

// While it goes on, the sentence changes with every pull: only the decision is announced.
function showDecision({ decided, decision, pulls, pending, pulls_left: left }) {
  byId("verdict").className = `verdict ${decided ? decision.status : "running"}`;
  setText(byId("decision"), decided ? decision.sentence : "");
  setText(byId("sentence"), decided ? "" : decision.sentence);
  byId("progress").hidden = decided;
  const rest = left === null ? "it is too early to say how many more a decision takes" : `about ${count(left)} more to a decision`;
  const inFlight = pending ? `, ${plural(pending, "pull")} in flight` : "";
  setText(byId("forecast"), `${plural(pulls, "result")}${inFlight}; ${rest}`);
  byId("bar").value = left === null ? 0 : pulls / (pulls + left || 1);
}

// The decision's sentence has the first one, and names failures.
function showWarnings({ warnings, decision }) {
  const list = byId("warnings");
  const others = warnings.filter(({ kind, sentence }) => kind !== "failures" && !decision.sentence.includes(sentence));
  const said = others.map(({ sentence }) => sentence);
  if (list.dataset.said === said.join("\n")) return;
  list.dataset.said = said.join("\n");
  list.hidden = !said.length;
  list.replaceChildren(...said.map((sentence) => element("li", { dir: "auto" }, sentence)));
}

// A number, or one for each metric.
function resultText({ reward, values }) {
  return reward === null ? Object.values(values).map((value) => show(value)).join(" · ") : show(reward);
}

function resultNames({ reward, values }) {
  return reward === null ? Object.entries(values).map(([metric, value]) => `${metric} ${show(value)}`).join(", ") : "";
}

function showRecent({ recent, problem }) {
  setText(byId("recent-result"), problem.metrics ? Object.keys(problem.metrics).join(" · ") : "Reward");
  setText(byId("recent-note"), recent.length ? "" : "No result has been told yet.");
  const kind = { items: "item", rounds: "round" }[problem.design];
  setText(byId("recent-arm"), kind ? `Arm and ${kind}` : "Arm");
  const rows = recent.map((result) => {
    const on = String(result.item);
    const item = kind ? [element("span", { class: "item hint", dir: "auto", title: on }, on)] : [];
    const marks = result.late ? [element("span", { class: "late", title: "This result came too late and does not count" }, " late")] : [];
    if (result.failed) marks.push(element("span", { class: "late", title: result.failed }, " failed"));
    return element(
      "tr",
      {},
      element("td", { class: "time" }, clock(result.time)),
      element("td", {}, element("span", { class: "short", dir: "auto", title: result.arm }, result.arm), ...marks, ...item),
      element("td", { class: "number", title: resultNames(result) }, resultText(result)),
    );
  });
  byId("recent").replaceChildren(...rows);
}

// What is known of a metric.
function inWords(known) {
  if (Array.isArray(known)) return known.join(" to ");
  if (typeof known !== "object") return String(known);
  return Object.entries(known).map(([name, value]) => (value === true ? name : `${name} ${inWords(value)}`)).join(", ");
}

function showFacts(study) {
  const { problem, limits } = study;
  const slacks = limits.filter(({ slack }) => slack).map(({ name, slack }) => (limits.length > 1 ? `${slack} (${name})` : slack));
  const rewards = problem.subgaussian !== undefined ? `${problem.subgaussian}-sub-Gaussian` : inWords(problem.rewards);
  const metrics = Object.entries(problem.metrics ?? {}).map(([name, known]) => `${name}: ${inWords(known)}`);
  const facts = {
    Policy: problem.policy,
    Bounds: problem.bounds,
    ...(metrics.length ? { Metrics: metrics.join("; ") } : { Rewards: rewards }),
    ...(problem.design === "items" ? { Items: problem.items.count ? count(problem.items.count) : "an endless stream" } : {}),
    ...(problem.baseline ? { Baseline: problem.baseline } : {}),
    ...(problem.design === "rounds" ? { Design: "rounds" } : {}),
    Tolerance: problem.tolerance || "none",
    [limits.length > 1 ? "Slacks of the limits" : "Slack of the limit"]: slacks.join(", ") || "none",
    Lease: problem.lease === null ? "none" : `${problem.lease} s`,
    "Maximum pulls": problem.max_pulls ? count(problem.max_pulls) : "no limit",
    Created: moment(study.created),
    Events: count(study.position),
  };
  const pairs = Object.entries(facts).map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, String(value))));
  byId("facts").replaceChildren(...pairs);
}

// --- as it goes on

let wanted = false;
let busy = false;

// One look at a time, and with a pause that leaves the service most of its time for others.
async function look() {
  wanted = true;
  if (busy) return;
  busy = true;
  while (wanted) {
    wanted = false;
    const started = performance.now();
    try {
      await showNow();
    } catch (error) {
      fail(error);
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(300, 4 * (performance.now() - started))));
  }
  busy = false;
}

const showNow = async () => showStudy(await patiently(() => call("GET", `${path}?arms=${ARMS}`), sayOf("look")));

function fail(error) {
  gone = error.status === 404;
  showLink();
  setText(byId("sentence"), gone && latest ? "This study was deleted." : `This study cannot be shown: ${trouble(error)}`);
  if (!latest || gone) byId("progress").hidden = true;
}

const told = () => look(); // whatever it was: also if the study is gone, because there may be another one of its name

// --- what can be done with it

function sure(title, why, yes) {
  setText(byId("sure-title"), title);
  setText(byId("sure-why"), why);
  setText(byId("sure-yes"), yes);
  const dialog = byId("sure");
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
}

async function act(work) {
  setText(byId("manage-error"), "");
  try {
    await work();
  } catch (error) {
    setText(byId("manage-error"), trouble(error));
  }
}

byId("close").addEventListener("click", async () => {
  if (await sure("Close the study?", "There will be no more pulls, and the study ends undecided.", "Close it")) {
    act(() => call("POST", `${path}/close`).then(look));
  }
});

byId("delete").addEventListener("click", async () => {
  if (await sure("Delete the study?", "All its results are deleted, for everybody. This cannot be undone.", "Delete it")) {
    act(() => call("DELETE", path).then(() => location.assign("/")));
  }
});

try {
  await showNow();
  showSnippets(id, latest.problem);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawPlane(latest));
  setInterval(() => document.hidden || latest.decided || gone || look(), 15000); // lets leases run out when nobody works
  follow(`${path}/events`, latest.position, told, sayOf("stream"));
} catch (error) {
  fail(error);
  setText(byId("name"), error.status === 404 ? "No such study" : "Study");
  for (const panel of document.querySelectorAll("main > :not(.heading, #verdict)")) panel.hidden = true;
}
