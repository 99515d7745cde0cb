// The table of arms, sortable by column.

import { byId, count, decimalsApart, decimalsOf, element, fixed, interval, setText } from "./dom.js";

let order = { column: "pulls", down: true };
let rows = [];
let span = 0; // the width of the range of rewards, if they have one
let columns = []; // [{ key, head, text, value (to sort by), number }]
const made = new Map(); // by the arm's name

// One number of decimals for an estimate and its interval, or the interval would seem not to hold it.
const ofGoal = ({ goal }) => decimalsOf(goal.value, goal.lower, goal.upper, span);
const ofLimit = ({ value, lower, upper }, bound) => decimalsApart(value, bound, decimalsOf(value, lower, upper));

function columnsOf({ limits, arms }) {
  const goal = arms[0]?.goal.quantity ?? "mean";
  return [
    { key: "name", head: "Arm", text: (arm) => arm.name, value: (arm) => arm.name },
    { key: "pulls", head: "Pulls", text: (arm) => count(arm.pulls), value: (arm) => arm.pulls, number: true },
    { key: "mean", head: goal === "mean" ? "Mean" : goal, text: (arm) => fixed(arm.goal.value, ofGoal(arm)), value: (arm) => arm.goal.value, number: true },
    {
      key: "mean_lower",
      head: `Interval of the ${goal}`,
      text: (arm) => interval(arm.goal.lower, arm.goal.upper, ofGoal(arm)),
      value: (arm) => arm.goal.lower,
    },
    ...limits.flatMap(limitColumns),
    { key: "words", head: "Verdict", text: (arm) => arm.words, value: (arm) => arm.words },
  ];
}

// The limited number and its interval; if there are several limits, the heading says which one it is.
function limitColumns({ limit, name, value: bound }, place, limits) {
  const report = (arm) => arm.limits[place];
  const numbers = (of) => (arm) => of(report(arm), ofLimit(report(arm), bound));
  const key = place ? `risk_${place}` : "risk";
  return [
    { key, head: limits.length > 1 ? limit : name, text: numbers(({ value }, decimals) => fixed(value, decimals)), value: (arm) => report(arm).value, number: true },
    {
      key: `${key}_lower`,
      head: `Interval of the ${name}`,
      text: numbers(({ lower, upper }, decimals) => interval(lower, upper, decimals)),
      value: (arm) => report(arm).lower,
    },
  ];
}

function heads() {
  const cells = columns.map(({ key, head, number }) => {
    const button = element("button", { type: "button" }, head);
    button.addEventListener("click", () => {
      order = { column: key, down: order.column === key ? !order.down : Boolean(number) };
      draw();
    });
    return element("th", { scope: "col", class: number && "number", "data-column": key }, button);
  });
  byId("arms").tHead.replaceChildren(element("tr", {}, ...cells));
}

function row(arm) {
  let found = made.get(arm.name);
  if (!found) {
    const cells = columns.map(({ key, number }) =>
      key === "name" ? element("th", { scope: "row", dir: "auto" }) : element("td", { class: number && "number" }),
    );
    found = element("tr", {}, ...cells);
    made.set(arm.name, found);
  }
  found.className = arm.best ? "best" : arm.guess ? "guess" : arm.ruled_out ? "out" : "";
  columns.forEach((column, index) => setText(found.cells[index], column.text(arm)));
  return found;
}

function compare(one, other) {
  const { value } = columns.find(({ key }) => key === order.column);
  const [a, b] = [value(one), value(other)];
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
  span = Array.isArray(rewards) ? rewards[1] - rewards[0] : 0;
  columns = columnsOf(study);
  if (!byId("arms").tHead.rows.length) heads();
  rows = study.arms.map((arm) => ({ ...arm, best: arm.name === study.decision.arm, guess: arm.recommended }));
  draw();
  const some = study.arms.length < study.arms_total;
  const shown = some ? `${count(study.arms.length)} of ${count(study.arms_total)} arms are shown: first those that may still be the best, then those pulled most. ` : "";
  setText(byId("arms-note"), `${shown}${count(study.arms_in_play)} of ${count(study.arms_total)} arms may still be the best. Click a column heading to sort.`);
}
