// A study's page: how it stands, drawn anew as its journal grows.

import { call, follow } from "./api.js";
import { showArms } from "./arms.js";
import { byId, clock, count, element, moment, plural, setText, show } from "./dom.js";
import { drawPlane } from "./plane.js";
import { showSnippets } from "./snippets.js";

const ARMS = 200; // shown at most
const id = location.pathname.split("/").pop();
const path = `/api/studies/${id}`;
let latest = null;

function showStanding(study) {
  latest = study;
  document.title = `${study.name} · Surefoot`;
  setText(byId("name"), study.name);
  const { goal, risk, delta } = study.problem;
  const limit = risk === "none" ? "" : ` among those with ${risk}`;
  setText(byId("plane-title"), study.limit ? "Mean and risk" : "Means");
  setText(byId("question"), `Which arm has the ${goal === "max" ? "largest" : "smallest"} mean${limit}? Wrong with probability at most ${delta}.`);
  showDecision(study);
  showRecent(study);
  showArms(study);
  showFacts(study);
  showLink();
  byId("close").disabled = study.decided;
  drawPlane(study);
}

let heard = null; // whether we hear the service, once we know

function showLink() {
  if (heard !== null) setText(byId("link"), !heard ? "not connected: trying again" : latest.decided ? "ended" : "live");
}

// While it goes on, the sentence changes with every pull: only the decision is announced.
function showDecision({ decided, decision, pulls, pending, pulls_left: left }) {
  byId("verdict").className = `verdict ${decided ? decision.status : "running"}`;
  setText(byId("decision"), decided ? decision.sentence : "");
  setText(byId("sentence"), decided ? "" : decision.sentence);
  byId("progress").hidden = decided;
  const rest = left === null ? "too early to say how many more" : `about ${count(left)} more to a decision`;
  const air = pending ? `, ${plural(pending, "pull")} in the air` : "";
  setText(byId("outlook"), `${plural(pulls, "pull")} told${air}; ${rest}`);
  byId("bar").value = left === null ? 0 : pulls / (pulls + left || 1);
}

function showRecent({ recent }) {
  setText(byId("recent-note"), recent.length ? "" : "No reward has been told yet.");
  const rows = recent.map((result) => {
    const marks = result.late ? [element("span", { class: "late", title: "told too late to count" }, " late")] : [];
    if (result.failed) marks.push(element("span", { class: "late", title: result.failed }, " failed"));
    return element(
      "tr",
      {},
      element("td", { class: "time" }, clock(result.time)),
      element("td", {}, element("span", { class: "short", dir: "auto", title: result.arm }, result.arm), ...marks),
      element("td", { class: "number" }, show(result.reward)),
    );
  });
  byId("recent").replaceChildren(...rows);
}

function showFacts(study) {
  const { problem } = study;
  const rewards = problem.subgaussian !== undefined ? `${problem.subgaussian}-sub-Gaussian` : [problem.rewards].flat().join(" to ");
  const facts = {
    Policy: problem.policy,
    Bounds: problem.bounds,
    Rewards: rewards,
    Tolerance: problem.tolerance || "none",
    "Slack of the limit": problem.risk_slack || "none",
    Lease: problem.lease === null ? "none" : `${problem.lease} s`,
    "Most pulls": problem.max_pulls ? count(problem.max_pulls) : "no limit",
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
      showStanding(await call("GET", `${path}?arms=${ARMS}`));
    } catch (error) {
      fail(error);
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(300, 4 * (performance.now() - started))));
  }
  busy = false;
}

function fail(error) {
  setText(byId("sentence"), `This study cannot be shown: ${error.message}`);
  if (!latest) byId("progress").hidden = true;
}

function told(kind) {
  if (kind === "gone") {
    setText(byId("link"), "deleted");
    fail(new Error("it was deleted"));
  } else look();
}

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
    setText(byId("manage-error"), error.message);
  }
}

byId("close").addEventListener("click", async () => {
  if (await sure("Close the study?", "There will be no more pulls, and it ends undecided.", "Close it")) {
    act(() => call("POST", `${path}/close`).then(look));
  }
});

byId("delete").addEventListener("click", async () => {
  if (await sure("Delete the study?", "Its whole journal is lost, for everybody.", "Delete it")) {
    act(() => call("DELETE", path).then(() => location.assign("/")));
  }
});

try {
  showStanding(await call("GET", `${path}?arms=${ARMS}`));
  showSnippets(id);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawPlane(latest));
  setInterval(() => document.hidden || latest.decided || look(), 15000); // lets leases run out when nobody works
  follow(`${path}/events`, latest.position, told, (now) => {
    heard = now;
    showLink();
  });
} catch (error) {
  fail(error);
  setText(byId("name"), error.status === 404 ? "No such study" : "Study");
  for (const panel of document.querySelectorAll("main > :not(.heading, #verdict)")) panel.hidden = true;
}
