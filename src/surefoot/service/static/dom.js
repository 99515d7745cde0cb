// Elements and numbers. Text is only ever set as text: whatever a name contains, it is shown and nothing else.

export const byId = (id) => document.getElementById(id);

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

// Set only what changes, so that selections stay and screen readers are not disturbed.
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

export const count = (value) => value.toLocaleString("en");
export const plural = (value, word) => `${count(value)} ${word}${value === 1 ? "" : "s"}`;
export const show = (value, digits = 4) => (value === null || value === undefined ? "" : String(Number(value.toPrecision(digits))));
// The decimals of an estimate and its interval that mean something: four digits of the estimate, or a ten-thousandth of the range
// of rewards, but where these are finer than a thousandth of the interval, three digits. null: powers of ten are easier to read.
export function decimalsOf(value, low, high, span) {
  const first = value ? -Math.floor(Math.log10(Math.abs(value))) : null; // the decimal that its first digit is
  const width = low === null || high === null ? 0 : high - low;
  let decimals = Math.max(first === null ? 4 : first + 3, span ? 4 - Math.floor(Math.log10(span)) : 0);
  if (width > 0) decimals = Math.min(decimals, Math.max(2 - Math.floor(Math.log10(width)), first === null ? 0 : first + 2));
  return decimals > 15 ? null : Math.max(decimals, 0);
}
// More decimals, until a number can be told from another.
export function decimalsApart(value, other, decimals) {
  while (decimals !== null && decimals < 15 && value !== null && value !== other && value.toFixed(decimals) === other.toFixed(decimals)) decimals += 1;
  return decimals;
}
export const fixed = (value, decimals) => (value === null || decimals === null ? show(value) : value.toFixed(decimals));
export const interval = (low, high, decimals) =>
  low === null && high === null ? "" : `${low === null ? "−∞" : fixed(low, decimals)} … ${high === null ? "∞" : fixed(high, decimals)}`;
export const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString();
export const moment = (seconds) => new Date(seconds * 1000).toLocaleString();
export const lowerIsBetter = ({ problem }) => problem.goal.startsWith("min");
