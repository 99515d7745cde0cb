// The mean-risk plane: arms as dots with their intervals as crossbars, the limit as a line, the feasible side shaded.

import { byId, count, decimalsOf, fixed, interval, plural, setText } from "./dom.js";

const MANY = 40; // arms, beyond which only those still in play are labelled
const LABELLED = 12; // of those in play, if they are many too

// Plotly reads some markup in text: names must come out as they are.
const literal = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function trace(name, arms, at, risk, shade, symbol, size, labels) {
  const bars = (low, high, middle) => ({
    type: "data",
    symmetric: false,
    array: arms.map((arm) => (arm[high] ?? arm[middle]) - arm[middle]),
    arrayminus: arms.map((arm) => arm[middle] - (arm[low] ?? arm[middle])),
    thickness: arms.length > MANY ? 1 : 1.4,
    width: 0,
    color: arms.length > MANY ? `${shade}30` : shade, // faint where they would hide the dots
  });
  return {
    type: "scatter",
    mode: labels ? "markers+text" : "markers",
    name,
    x: arms.map(at),
    y: arms.map((arm) => arm.mean),
    error_x: risk ? bars("risk_lower", "risk_upper", "risk") : undefined,
    error_y: bars("mean_lower", "mean_upper", "mean"),
    marker: { color: shade, size, symbol, line: { color: colour("--paper"), width: 1 } },
    text: labels ? arms.map((arm) => literal(short(arm.name))) : undefined,
    textposition: "top right",
    textfont: { color: shade },
    hovertext: arms.map((arm) => hover(arm, risk)),
    hoverinfo: "text",
  };
}

const short = (name) => (name.length > 24 ? `${name.slice(0, 23)}…` : name);

function hover(arm, risk) {
  const numbers = (name, value, low, high) => {
    const decimals = decimalsOf(value, low, high);
    return `${name} ${fixed(value, decimals)} (interval ${interval(low, high, decimals)})`;
  };
  const lines = [arm.name, arm.words, plural(arm.pulls, "pull"), numbers("mean", arm.mean, arm.mean_lower, arm.mean_upper)];
  if (risk) lines.push(numbers(risk, arm.risk, arm.risk_lower, arm.risk_upper));
  return lines.map(literal).join("<br>");
}

// Where the limit is, what it is called, and which side of it is feasible: the one place that knows.
function limitOf(study) {
  return study.limit && { at: study.limit.value, label: study.problem.risk, name: study.limit.name, above: study.limit.is_floor };
}

function rangeOf(arms, limit) {
  const risks = [...arms.map((arm) => arm.risk), limit.at];
  const [low, high] = [Math.min(...risks), Math.max(...risks)];
  const pad = 0.18 * (high - low || Math.abs(high) || 1);
  const floor = Math.min(...arms.map((arm) => arm.risk_lower ?? -Infinity), limit.at);
  return [Math.max(low - pad, floor - 0.1 * pad), high + pad];
}

function layout(study, arms, limit) {
  const range = limit && rangeOf(arms, limit);
  const line = { color: colour("--limit"), width: 1.6, dash: "dash" };
  const whole = { yref: "paper", y0: 0, y1: 1, layer: "below" };
  const shaded = limit && { type: "rect", x0: limit.above ? limit.at : range[0], x1: limit.above ? range[1] : limit.at };
  const axis = { gridcolor: colour("--line"), zeroline: false, color: colour("--ink-2"), automargin: true };
  const names = { tickvals: arms.map((_, index) => index), ticktext: arms.map((arm) => literal(short(arm.name))) };
  return {
    uirevision: "kept",
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
      : { ...axis, title: { text: "arm" }, ...(arms.length > MANY ? { showticklabels: false } : names) },
    yaxis: { ...axis, title: { text: `mean reward (${study.problem.goal === "max" ? "higher" : "lower"} is better)` } },
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

let waiting = null; // the study to draw once plotly.js is here: it is large, and all else need not wait for it

export function drawPlane(study) {
  if (!window.Plotly) {
    if (!waiting) byId("plotly").addEventListener("load", () => drawPlane(waiting), { once: true });
    waiting = study;
    return;
  }
  const limit = limitOf(study);
  const arms = study.arms.filter((arm) => arm.mean !== null && (!limit || arm.risk !== null));
  const at = limit ? (arm) => arm.risk : (arm) => arms.indexOf(arm);
  const best = study.decision.arm;
  const guess = best ? undefined : study.decision.recommended?.[0];
  const named = (name) => arms.filter((arm) => arm.name === name);
  const few = study.arms.length <= MANY;
  const out = arms.filter((arm) => arm.ruled_out && ![best, guess].includes(arm.name));
  const open = arms.filter((arm) => !arm.ruled_out && ![best, guess].includes(arm.name));
  const traces = [
    trace("ruled out", out, at, limit?.name, colour("--out"), "circle", 8, few && limit),
    trace("in play", open, at, limit?.name, colour("--ink"), "circle", 9, (few || open.length <= LABELLED) && limit),
    trace("best guess", named(guess), at, limit?.name, colour("--accent"), "star-open", 13, limit),
    trace("best", named(best), at, limit?.name, colour("--accent"), "star", 17, limit),
  ];
  const untried = study.arms.length - arms.length;
  const star = guess === undefined ? "" : " The hollow star is the best guess so far.";
  const all = "Dots are estimates and lines are their intervals; the table below has the numbers. Grey arms are ruled out; hover to see why." + star;
  setText(byId("plane-note"), untried ? `${all} ${count(untried)} of the arms have too few results to be drawn.` : all);
  byId("plane").hidden = !arms.length;
  if (arms.length) Plotly.react(byId("plane"), traces, layout(study, arms, limit), { displayModeBar: false, responsive: true });
}
