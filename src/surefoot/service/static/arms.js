// The table of arms, sortable by column.

import { between, byId, count, digitsApart, element, setText, show } from "./dom.js";

let order = { column: "pulls", down: true };
let rows = [];
let [riskName, limit] = [null, null]; // of a limit on the risk, if there is one
const made = new Map(); // by the arm's name

const digits = (arm) => digitsApart(arm.risk, limit);

const COLUMNS = {
  name: { head: () => "Arm", text: (arm) => arm.name },
  pulls: { head: () => "Pulls", text: (arm) => count(arm.pulls), number: true },
  mean: { head: () => "Mean", text: (arm) => show(arm.mean), number: true },
  mean_lower: { head: () => "between", text: (arm) => between(arm.mean_lower, arm.mean_upper), label: () => "interval of the mean" },
  risk: { head: () => riskName, text: (arm) => show(arm.risk, digits(arm)), number: true },
  risk_lower: {
    head: () => "between",
    text: (arm) => between(arm.risk_lower, arm.risk_upper, digits(arm)),
    label: () => `interval of the ${riskName}`,
  },
  words: { head: () => "Verdict", text: (arm) => arm.words },
};

const columns = () => Object.entries(COLUMNS).filter(([name]) => riskName || !name.startsWith("risk"));

function heads() {
  const cells = columns().map(([name, column]) => {
    const button = element("button", { type: "button", "aria-label": column.label?.() }, column.head());
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
  found.className = arm.best ? "best" : arm.ruled_out ? "out" : "";
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
  [riskName, limit] = [study.limit?.name, study.limit?.value];
  if (!byId("arms").tHead.rows.length) heads();
  rows = study.arms.map((arm) => ({ ...arm, best: arm.name === study.decision.arm }));
  draw();
  const some = study.arms.length < study.arms_total;
  const shown = some ? `${count(study.arms.length)} of ${count(study.arms_total)} arms are shown: those in play first, then those pulled most. ` : "";
  setText(byId("arms-note"), `${shown}${count(study.arms_in_play)} of ${count(study.arms_total)} in play. Click a column heading to sort.`);
}
