// The goal and a limit: arms as dots with their intervals as crossbars, the limit as a line, the feasible side shaded.

import { byId, count, decimalsOf, element, fixed, interval, lowerIsBetter, plural, setText } from "./dom.js";

const MANY = 40; // arms, beyond which only those still in play are labelled
const LABELLED = 12; // of those in play, if they are many too

// Plotly reads some markup in text: names must come out as they are.
const literal = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function trace(name, arms, at, limit, shade, symbol, size, labels) {
  const bars = (report) => ({
    type: "data",
    symmetric: false,
    array: arms.map(report).map(({ value, upper }) => (upper ?? value) - value),
    arrayminus: arms.map(report).map(({ value, lower }) => value - (lower ?? value)),
    thickness: arms.length > MANY ? 1 : 1.4,
    width: 0,
    color: arms.length > MANY ? `${shade}30` : shade, // faint where they would hide the dots
  });
  return {
    type: "scatter",
    mode: labels ? "markers+text" : "markers",
    name,
    x: arms.map(at),
    y: arms.map((arm) => arm.goal.value),
    error_x: limit ? bars(limit.of) : undefined,
    error_y: bars((arm) => arm.goal),
    marker: { color: shade, size, symbol, line: { color: colour("--paper"), width: 1 } },
    text: labels ? arms.map((arm) => literal(short(arm.name))) : undefined,
    textposition: "top right",
    textfont: { color: shade },
    hovertext: arms.map(hover),
    hoverinfo: "text",
  };
}

const short = (name) => (name.length > 24 ? `${name.slice(0, 23)}…` : name);

let names = []; // of the limited numbers

function hover(arm) {
  const numbers = (name, { value, lower, upper }) => {
    const decimals = decimalsOf(value, lower, upper);
    return `${name} ${fixed(value, decimals)} (interval ${interval(lower, upper, decimals)})`;
  };
  const limited = arm.limits.map((report, place) => numbers(names[place], report));
  const lines = [arm.name, arm.words, plural(arm.pulls, "pull"), numbers(arm.goal.quantity, arm.goal), ...limited];
  return lines.map(literal).join("<br>");
}

let chosen = null; // the place of the limit that is drawn, once somebody has chosen one

// Where the limit that is drawn is, what it is called, which side of it is feasible, and where an arm has its number.
function limitOf({ limits, nearest_limit: nearest }) {
  if (!limits.length) return null;
  const place = chosen ?? nearest;
  const { value: at, limit: label, name, is_floor: above } = limits[place];
  return { place, at, label, name, above, of: (arm) => arm.limits[place] };
}

function showChooser(study, place) {
  const chooser = byId("plane-limit");
  byId("plane-chooser").hidden = study.limits.length < 2;
  if (study.limits.length < 2) return;
  if (!chooser.options.length) {
    chooser.append(...study.limits.map(({ limit }, index) => element("option", { value: String(index) }, limit)));
    chooser.addEventListener("change", () => {
      chosen = Number(chooser.value);
      drawPlane(latest);
    });
  }
  chooser.value = String(place);
}

function rangeOf(arms, limit) {
  const risks = [...arms.map((arm) => limit.of(arm).value), limit.at];
  const [low, high] = [Math.min(...risks), Math.max(...risks)];
  const pad = 0.18 * (high - low || Math.abs(high) || 1);
  const floor = Math.min(...arms.map((arm) => limit.of(arm).lower ?? -Infinity), limit.at);
  return [Math.max(low - pad, floor - 0.1 * pad), high + pad];
}

function layout(study, arms, limit) {
  const range = limit && rangeOf(arms, limit);
  const line = { color: colour("--limit"), width: 1.6, dash: "dash" };
  const whole = { yref: "paper", y0: 0, y1: 1, layer: "below" };
  const shaded = limit && { type: "rect", x0: limit.above ? limit.at : range[0], x1: limit.above ? range[1] : limit.at };
  const axis = { gridcolor: colour("--line"), zeroline: false, color: colour("--ink-2"), automargin: true };
  const columns = { tickvals: arms.map((_, index) => index), ticktext: arms.map((arm) => literal(short(arm.name))) };
  return {
    uirevision: limit ? limit.label : "kept",
    showlegend: false,
    hovermode: "closest",
    height: 460,
    margin: { l: 56, r: 12, t: 24, b: 48 },
    paper_bgcolor: "transparent",
    plot_bgcolor: "transparent",
    font: { family: "system-ui, sans-serif", size: 13, color: colour("--ink") },
    hoverlabel: { bgcolor: colour("--paper"), bordercolor: colour("--line"), font: { color: colour("--ink") }, align: "left" },
    xaxis: limit
      ? { ...axis, title: { text: literal(limit.name) }, range }
      : { ...axis, title: { text: "arm" }, ...(arms.length > MANY ? { showticklabels: false } : columns) },
    yaxis: { ...axis, title: { text: literal(`${goalOf(study)} (${lowerIsBetter(study) ? "lower" : "higher"} is better)`) } },
    shapes: limit
      ? [
          { ...whole, ...shaded, fillcolor: colour("--shade"), line: { width: 0 } },
          { ...whole, layer: "above", type: "line", x0: limit.at, x1: limit.at, line },
        ]
      : [],
    annotations: limit
      ? [{ x: limit.at, y: 1, yref: "paper", yanchor: "bottom", text: literal(limit.label), showarrow: false, font: { color: colour("--limit") } }]
      : [],
  };
}

const goalOf = ({ arms, problem }) =>
  (arms[0].goal.quantity === "mean" ? "mean reward" : arms[0].goal.quantity) + ({ items: " on the same items", rounds: " in rounds" }[problem.design] ?? "");

let latest = null;
let waiting = null; // the study to draw once plotly.js is here: it is large, and all else need not wait for it

export function drawPlane(study) {
  if (!window.Plotly) {
    if (!waiting) byId("plotly").addEventListener("load", () => drawPlane(waiting), { once: true });
    waiting = study;
    return;
  }
  latest = study;
  names = study.limits.map(({ name }) => name);
  const limit = limitOf(study);
  showChooser(study, limit?.place);
  const arms = study.arms.filter((arm) => arm.goal.value !== null && (!limit || limit.of(arm).value !== null));
  const at = limit ? (arm) => limit.of(arm).value : (arm) => arms.indexOf(arm);
  const best = study.decision.arm;
  const guess = best ? undefined : study.decision.recommended?.[0];
  const named = (name) => arms.filter((arm) => arm.name === name);
  const few = study.arms.length <= MANY;
  const out = arms.filter((arm) => arm.ruled_out && ![best, guess].includes(arm.name));
  const open = arms.filter((arm) => !arm.ruled_out && ![best, guess].includes(arm.name));
  const traces = [
    trace("ruled out", out, at, limit, colour("--out"), "circle", 8, few && limit),
    trace("in play", open, at, limit, colour("--ink"), "circle", 9, (few || open.length <= LABELLED) && limit),
    trace("best guess", named(guess), at, limit, colour("--accent"), "star-open", 13, limit),
    trace("best", named(best), at, limit, colour("--accent"), "star", 17, limit),
  ];
  const untried = study.arms.length - arms.length;
  const star = guess === undefined ? "" : " The hollow star is the best guess so far.";
  const all = "Dots are estimates and lines are their intervals; the table below has the numbers. Grey arms are ruled out; hover to see why." + star;
  setText(byId("plane-note"), untried ? `${all} ${count(untried)} of the arms have too few results to be drawn.` : all);
  byId("plane").hidden = !arms.length;
  if (arms.length) Plotly.react(byId("plane"), traces, layout(study, arms, limit), { displayModeBar: false, responsive: true });
}
