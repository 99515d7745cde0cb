// The table of arms, sortable by column.

import { byId, count, decimalsApart, decimalsOf, element, fixed, interval, setText } from "./dom.js";

let order = { column: "pulls", down: true };
let rows = [];
let [riskName, limit, span] = [null, null, 0]; // the limit on the risk, if there is one; the width of the range of rewards, if they have one
const made = new Map(); // by the arm's name

// One number of decimals for an estimate and its interval, or the interval would seem not to hold it.
const ofMean = (arm) => decimalsOf(arm.mean, arm.mean_lower, arm.mean_upper, span);
const ofRisk = (arm) => decimalsApart(arm.risk, limit, decimalsOf(arm.risk, arm.risk_lower, arm.risk_upper));

const COLUMNS = {
  name: { head: () => "Arm", text: (arm) => arm.name },
  pulls: { head: () => "Pulls", text: (arm) => count(arm.pulls), number: true },
  mean: { head: () => "Mean", text: (arm) => fixed(arm.mean, ofMean(arm)), number: true },
  mean_lower: { head: () => "Interval of the mean", text: (arm) => interval(arm.mean_lower, arm.mean_upper, ofMean(arm)) },
  risk: { head: () => riskName, text: (arm) => fixed(arm.risk, ofRisk(arm)), number: true },
  risk_lower: {
    head: () => `Interval of the ${riskName}`,
    text: (arm) => interval(arm.risk_lower, arm.risk_upper, ofRisk(arm)),
  },
  words: { head: () => "Verdict", text: (arm) => arm.words },
};

const columns = () => Object.entries(COLUMNS).filter(([name]) => riskName || !name.startsWith("risk"));

function heads() {
  const cells = columns().map(([name, column]) => {
    const button = element("button", { type: "button" }, column.head());
    button.addEventListener("click", () => {
      order = { column: name, down: order.column === name ? !order.down : Boolean(column.number) };
      draw();
    });
    return element("th", { scope: "col", class: column.number && "number", "data-column": name }, button);
  });
  byId("arms").tHead.replaceChildren(element("tr", {}, ...cells));
}

function row(arm) {
  let found = made.get(arm.name);
  if (!found) {
    const cells = columns().map(([name, column]) =>
      name === "name" ? element("th", { scope: "row", dir: "auto" }) : element("td", { class: column.number && "number" }),
    );
    found = element("tr", {}, ...cells);
    made.set(arm.name, found);
  }
  found.className = arm.best ? "best" : arm.guess ? "guess" : arm.ruled_out ? "out" : "";
  columns().forEach(([, column], index) => setText(found.cells[index], column.text(arm)));
  return found;
}

function compare(one, other) {
  const [a, b] = [one[order.column], other[order.column]];
  if (a === null || b === null) return (a === null) - (b === null); // what is not known comes last
  const found = typeof a === "string" ? a.localeCompare(b, undefined, { numeric: true }) : a - b;
  return order.down ? -found : found;
}

function draw() {
  for (const head of byId("arms").tHead.rows[0].cells) {
    const chosen = head.dataset.column === order.column;
    if (chosen) head.setAttribute("aria-sort", order.down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
  const sorted = [...rows].sort(compare).map(row);
  const body = byId("arms").tBodies[0];
  const same = body.rows.length === sorted.length && sorted.every((line, index) => body.rows[index] === line);
  if (!same) body.replaceChildren(...sorted);
}

export function showArms(study) {
  const { rewards } = study.problem;
  [riskName, limit, span] = [study.limit?.name, study.limit?.value, Array.isArray(rewards) ? rewards[1] - rewards[0] : 0];
  if (!byId("arms").tHead.rows.length) heads();
  rows = study.arms.map((arm) => ({ ...arm, best: arm.name === study.decision.arm, guess: arm.recommended }));
  draw();
  const some = study.arms.length < study.arms_total;
  const shown = some ? `${count(study.arms.length)} of ${count(study.arms_total)} arms are shown: first those that may still be the best, then those pulled most. ` : "";
  setText(byId("arms-note"), `${shown}${count(study.arms_in_play)} of ${count(study.arms_total)} arms may still be the best. Click a column heading to sort.`);
}
