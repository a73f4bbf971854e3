// Forms from JSON schemas in the form of msgspec: objects, lists of objects, numbers, words, booleans.

import { h } from "./dom.js";
import { field } from "./pickers.js";

// `{element, read()}` for a schema; `read` returns the entered value, without unchanged defaults.
export function makeForm(schema, value) {
  const definitions = schema.$defs ?? {};
  const resolve = (part) => {
    const target = part.$ref ? { ...definitions[part.$ref.split("/").at(-1)], ...part, $ref: undefined } : part;
    if (!target.anyOf) return target;
    const kinds = target.anyOf.filter(({ type }) => type !== "null");
    return { ...target, ...resolve(kinds[0]), words: kinds.slice(1).flatMap((each) => each.enum ?? []), optional: kinds.length < target.anyOf.length };
  };
  return build(resolve(schema), value ?? {}, "", resolve);
}

function build(schema, value, name, resolve) {
  if (schema.type === "object" && schema.properties) return objectForm(schema, value ?? {}, name, resolve);
  if (schema.type === "array") return listForm(schema, value ?? schema.default ?? [], name, resolve);
  return leaf(schema, value ?? schema.default, name);
}

const nice = (name) => name.replaceAll("_", " ");

function objectForm(schema, value, name, resolve) {
  const isOffered = ([key, part]) => {
    const { enum: words, const: only, optional, type, readOnly } = resolve(part);
    const isFixed = words?.length === 1 || only !== undefined || readOnly;
    return !isFixed && !(optional && type === "object" && (value[key] ?? null) === null); // a part that is left out stays out
  };
  const parts = Object.entries(schema.properties)
    .filter(isOffered)
    .map(([key, part]) => [key, build(resolve(part), value[key], key, resolve)]);
  const fixed = Object.fromEntries(Object.entries(value).filter(([key]) => !parts.some(([part]) => part === key)));
  const content = h("div", { class: "fields" }, parts.map(([, part]) => part.element));
  return {
    element: name ? h("fieldset", {}, h("legend", {}, nice(name)), content) : content,
    read: () => ({ ...fixed, ...Object.fromEntries(parts.map(([key, part]) => [key, part.read()]).filter(([, read]) => read !== undefined)) }),
  };
}

function listForm(schema, value, name, resolve) {
  const item = resolve(schema.items ?? {});
  if (item.type !== "object") return wordsForm(value, name);
  let entries = value.map((each) => build(item, each, "", resolve));
  const place = h("div", { class: "column" });
  const draw = () => place.replaceChildren(...entries.map((entry, index) => h("fieldset", {}, h("legend", {}, `${nice(name)} ${index + 1}`), entry.element,
    entries.length > (schema.minItems ?? 0) && h("div", {}, h("button", { type: "button", onclick: () => { entries = entries.filter((each) => each !== entry); draw(); } }, "Remove")))));
  draw();
  return {
    element: h("fieldset", {}, h("legend", {}, nice(name)), place,
      h("div", {}, h("button", { type: "button", onclick: () => { entries.push(build(item, entries.at(-1)?.read() ?? {}, "", resolve)); draw(); } }, "Add"))),
    read: () => entries.map((entry) => entry.read()),
  };
}

// A list of plain values is edited as JSON.
function wordsForm(value, name) {
  const control = h("input", { type: "text", class: "mono", value: JSON.stringify(value ?? []) });
  return { element: field(nice(name), control), read: () => JSON.parse(control.value) };
}

function leaf(schema, value, name) {
  const title = [schema.description, schema.minimum !== undefined && `from ${schema.minimum}`, schema.maximum !== undefined && `to ${schema.maximum}`].filter(Boolean).join("; ");
  if (schema.enum) {
    const control = h("select", { title }, schema.enum.map((word) => h("option", { value: word }, String(word))));
    control.value = value ?? schema.enum[0];
    return { element: field(nice(name), control, schema.description), read: () => control.value };
  }
  if (schema.type === "boolean") {
    const control = h("input", { type: "checkbox", checked: Boolean(value), id: `check-${name}-${Math.random().toString(36).slice(2)}`, title });
    return { element: h("label", { class: "check", for: control.id }, control, nice(name)), read: () => control.checked };
  }
  const isNumber = schema.type === "integer" || schema.type === "number";
  const takesWords = schema.words?.length > 0;
  const known = schema.examples && h("datalist", { id: `known-${name}-${Math.random().toString(36).slice(2)}` }, schema.examples.map((word) => h("option", { value: word })));
  const control = h("input", { type: isNumber && !takesWords ? "number" : "text", step: schema.type === "integer" ? 1 : "any", title, value: value ?? "", class: isNumber ? "" : "mono", list: known?.id });
  const element = field(nice(name), control, schema.description);
  if (known) element.append(known);
  return {
    element,
    read: () => {
      if (control.value === "") return undefined;
      return isNumber && !Number.isNaN(Number(control.value)) ? Number(control.value) : control.value;
    },
  };
}
