// Creates elements from values. Text is never parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

function build(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else if (name === "value" || name === "checked" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const h = (tag, properties, ...children) => build(document.createElement(tag), properties, children);
export const svg = (tag, properties, ...children) => build(document.createElementNS(SVG, tag), properties, children);

// Announces a text to screen readers.
export function announce(text) {
  document.getElementById("announcer").textContent = text;
}

// Changes a text only if it differs: a screen reader may read replaced text again.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export function toast(text, kind = "error") {
  const place = document.getElementById("toasts");
  const note = h("p", { class: `toast ${kind}` }, text);
  place.append(note);
  while (place.children.length > 3) place.firstChild.remove();
  setTimeout(() => note.remove(), 6000);
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied", "note");
  } catch {
    prompt("Copy this text:", text); // no clipboard without https or consent
  }
}

export function download(name, text) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export const number = (value, digits = 0) =>
  value === null || value === undefined ? "–" : value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

// With a true minus sign.
export function signed(value, digits = 0) {
  const text = Math.abs(value).toFixed(digits);
  return Number(text) === 0 ? text : `${value > 0 ? "+" : "−"}${text}`;
}
