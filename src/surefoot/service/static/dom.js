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
// How many digits it takes to tell a number from another. An interval has as many as its estimate, or would seem not to hold it.
export const digitsApart = (value, other) => {
  let digits = 4;
  while (digits < 15 && value !== other && value?.toPrecision(digits) === other.toPrecision(digits)) digits += 1;
  return value === null ? 4 : digits;
};
export const between = (low, high, digits = 4) =>
  low === null && high === null ? "" : `${low === null ? "−∞" : show(low, digits)} … ${high === null ? "∞" : show(high, digits)}`;
export const clock = (seconds) => new Date(seconds * 1000).toLocaleTimeString();
export const moment = (seconds) => new Date(seconds * 1000).toLocaleString();
