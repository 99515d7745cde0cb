// The OpenAPI document, for people. Small, ours, and needs nothing from elsewhere.

import { call, patiently } from "./api.js";
import { byId, element, setText } from "./dom.js";

const last = (reference) => reference.split("/").pop();
const link = (name) => element("a", { href: `#${name}` }, name);

// What a value may be: text and links.
function kind(schema) {
  if (!schema) return ["nothing"];
  if (schema.$ref) return [link(last(schema.$ref))];
  if (schema.anyOf) return schema.anyOf.flatMap((one, index) => (index ? [" or ", ...kind(one)] : kind(one)));
  if (schema.type === "array") return ["list of ", ...kind(schema.items)];
  if (schema.enum) return [schema.enum.join(" | ")];
  return [schema.type ?? "anything"];
}

const facts = (schema) => (schema.default === undefined || schema.default === null ? "" : ` · default ${JSON.stringify(schema.default)}`);

function table(rows) {
  const lines = rows.map(([name, schema, words]) =>
    element("tr", {}, element("th", { scope: "row" }, element("code", {}, name)), element("td", {}, ...kind(schema), facts(schema)), element("td", {}, words ?? "")),
  );
  const head = element("tr", {}, ...["Name", "Value", "Meaning"].map((text) => element("th", { scope: "col" }, text)));
  return element("div", { class: "scroll", tabindex: "0" }, element("table", {}, element("thead", {}, head), element("tbody", {}, ...lines)));
}

function operation(method, path, found) {
  const parts = [element("h3", {}, element("span", { class: "method" }, method.toUpperCase()), " ", element("code", {}, path))];
  parts.push(element("p", {}, [found.summary, found.description].filter(Boolean).join(". ")));
  const parameters = (found.parameters ?? []).map((one) => [one.name, one.schema, one.description]);
  if (parameters.length) parts.push(table(parameters));
  const body = found.requestBody?.content["application/json"].schema;
  if (body) parts.push(element("p", {}, "Body: ", ...kind(body)));
  for (const [status, response] of Object.entries(found.responses)) {
    const schema = response.content?.["application/json"]?.schema;
    if (status < 300) parts.push(element("p", {}, `${status}: `, ...(schema?.$ref ? kind(schema) : [response.description])));
  }
  const errors = Object.entries(found.responses).filter(([status]) => status >= 400);
  const list = errors.map(([status, response]) => element("li", {}, `${status}: ${response.description}`));
  if (errors.length) parts.push(element("details", {}, element("summary", {}, "When it is refused"), element("ul", {}, ...list)));
  return element("section", { class: "operation" }, ...parts);
}

function schema(name, found) {
  const rows = Object.entries(found.properties ?? {}).map(([field, one]) => [field, one, one.description]);
  return element("section", { id: name }, element("h3", {}, name), element("p", {}, found.description ?? ""), table(rows));
}

const book = await patiently(
  () => call("GET", "/openapi.json"),
  (why) => setText(byId("about"), why),
);
setText(byId("about"), book.info.description.trim());
for (const [path, methods] of Object.entries(book.paths)) {
  byId("operations").append(...Object.entries(methods).map(([method, found]) => operation(method, path, found)));
}
byId("schemas").append(...Object.entries(book.components.schemas).map(([name, found]) => schema(name, found)));
