// The documentation of the API, from the server's OpenAPI document.

import { byId, element, showError } from "./dom.js";

const METHODS = ["get", "post", "put", "patch", "delete"];
/** Depth to which examples are made from schemas. */
const DEEPEST_EXAMPLE = 6;

/** Said of responses without a description, by their status. */
const STATUSES = {
  2: "The answer",
  4: "The request is refused; the body says why",
  5: "The server failed or, with 503, is busy: `Retry-After` says when to ask again",
};

let api;

/** Returns what a reference points to; anything else is returned as it is. */
function resolved(value) {
  let found = value;
  while (found?.$ref)
    found = found.$ref
      .slice(2)
      .split("/")
      .reduce((at, key) => at?.[key.replaceAll("~1", "/").replaceAll("~0", "~")], api);
  return found ?? {};
}

const schemaName = (schema) => schema?.$ref?.match(/^#\/components\/schemas\/(.+)$/)?.[1];
const operationId = (method, path) => `${method}${path.replace(/[^A-Za-z0-9]+/g, "-")}`;

// ---- Prose -----------------------------------------------------------------------------------------------------------

/** Renders a description: paragraphs, lists and `code`. */
function prose(text) {
  const blocks = (text ?? "")
    .trim()
    .split(/\n\s*\n/)
    .filter((block) => block !== "");
  return element(
    "div",
    { class: "prose" },
    ...blocks.map((block) => {
      const lines = block.split("\n");
      if (lines.every((line) => /^([-*] |\s)/.test(line))) {
        const items = block.split(/\n?^[-*] /m).filter((item) => item.trim() !== "");
        return element("ul", {}, ...items.map((item) => element("li", {}, ...inline(item))));
      }
      return element("p", {}, ...inline(block.replace(/^#+ /, "")));
    }),
  );
}

function inline(text) {
  const plain = text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/\s*\n\s*/g, " ");
  return plain
    .split("`")
    .map((part, at) => (at % 2 === 1 ? element("code", {}, part) : part))
    .filter((part) => part !== "");
}

// ---- Schemas ---------------------------------------------------------------------------------------------------------

/** Returns a type in words, with links to named schemas. */
function typeParts(schema) {
  if (schema === true || schema === undefined || schema === null) return ["any"];
  const name = schemaName(schema);
  if (name) return [element("a", { href: `#schema-${name}` }, name)];
  const several = schema.oneOf ?? schema.anyOf ?? schema.allOf;
  if (several)
    return joined(
      several.filter((one) => one.type !== "null").map(typeParts),
      schema.allOf ? " and " : " or ",
      several.some((one) => one.type === "null"),
    );
  if (schema.const !== undefined) return [element("code", {}, JSON.stringify(schema.const))];
  if (schema.enum)
    return joined(
      schema.enum.map((value) => [element("code", {}, JSON.stringify(value))]),
      ", ",
    );
  const types = [schema.type ?? (schema.properties ? "object" : "any")].flat();
  const words = types
    .filter((type) => type !== "null")
    .map((type) => {
      if (type === "array") return ["array of ", ...typeParts(schema.items)];
      if (type === "object" && typeof schema.additionalProperties === "object")
        return ["map to ", ...typeParts(schema.additionalProperties)];
      return [type];
    });
  return joined(words, " or ", types.includes("null"));
}

function joined(parts, separator, isNullable = false) {
  const all = isNullable ? [...parts, ["null"]] : parts;
  return all.flatMap((part, at) => (at === 0 ? part : [isNullable && at === all.length - 1 ? " or " : separator, ...part]));
}

/** Returns bounds and default of a schema, in words. */
function limits(schema) {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, default: standard } = schema ?? {};
  const said = [];
  const range = (low, high, what) => {
    if (low !== undefined && high !== undefined) said.push(`${low} to ${high}${what}`);
    else if (low !== undefined) said.push(`at least ${low}${what}`);
    else if (high !== undefined) said.push(`at most ${high}${what}`);
  };
  range(minimum, maximum, "");
  range(minLength, maxLength, " characters");
  range(minItems, maxItems, " items");
  if (standard !== undefined && standard !== null) said.push(`default ${JSON.stringify(standard)}`);
  return said.length > 0 ? element("p", { class: "hint" }, said.join(", ")) : null;
}

/** Returns the properties of a schema and of those that it is made of, with the names of the required ones. */
function propertiesOf(schema) {
  const whole = resolved(schema);
  const parts = (whole.allOf ?? []).map(propertiesOf);
  const properties = Object.assign({}, ...parts.map((part) => part.properties), whole.properties);
  return { properties, required: [...parts.flatMap((part) => part.required), ...(whole.required ?? [])] };
}

/** Renders a table of fields: name, type, description. */
function fieldTable(label, fields) {
  const rows = fields.map(({ name, schema, description, isRequired, isDeprecated, place }) =>
    element(
      "tr",
      {},
      element(
        "th",
        { scope: "row" },
        element("code", { class: isDeprecated ? "deprecated" : null }, name),
        isRequired ? element("span", { class: "required" }, " required") : null,
        place ? element("span", { class: "hint" }, ` in ${place}`) : null,
      ),
      element("td", {}, ...typeParts(schema)),
      element("td", {}, prose(description ?? schema?.description), limits(schema)),
    ),
  );
  const head = element("tr", {}, ...["Name", "Type", "Description"].map((title) => element("th", { scope: "col" }, title)));
  const table = element(
    "table",
    {},
    element("caption", { class: "visually-hidden" }, label),
    element("thead", {}, head),
    element("tbody", {}, ...rows),
  );
  return element("div", { class: "fields-of", role: "region", "aria-label": label, tabIndex: 0 }, table);
}

/** Renders a schema: its fields, or else its type. */
function schemaParts(label, schema) {
  const { properties, required } = propertiesOf(schema);
  const fields = Object.entries(properties).map(([name, property]) => ({
    name,
    schema: property,
    isRequired: required.includes(name),
    isDeprecated: property.deprecated,
  }));
  if (fields.length > 0) return [fieldTable(label, fields)];
  return [element("p", { class: "media" }, "Type: ", ...typeParts({ ...resolved(schema), $ref: undefined }))];
}

/** Makes an example of a schema; of objects with `isShort` only what is required. */
function example(schema, isShort = false, depth = 0) {
  if (schema === undefined || schema === true || depth > DEEPEST_EXAMPLE) return null;
  const whole = resolved(schema);
  if (whole.example !== undefined) return whole.example;
  if (whole.examples?.length > 0) return whole.examples[0];
  if (whole.default !== undefined && whole.default !== null) return whole.default;
  if (whole.const !== undefined) return whole.const;
  if (whole.enum) return whole.enum[0];
  const several = whole.oneOf ?? whole.anyOf;
  if (several)
    return example(
      several.find((one) => one.type !== "null"),
      isShort,
      depth + 1,
    );
  const type = [whole.type ?? "object"].flat().find((one) => one !== "null");
  if (type === "array") return [example(whole.items, isShort, depth + 1)];
  if (type === "string") return "…";
  if (type === "integer" || type === "number") return whole.minimum ?? 0;
  if (type === "boolean") return false;
  const { properties, required } = propertiesOf(whole);
  const fields = Object.entries(properties).filter(([name]) => !isShort || required.includes(name));
  return Object.fromEntries(fields.map(([name, property]) => [name, example(property, isShort, depth + 1)]));
}

/** Returns the example of a content, or one made from its schema. */
function exampleOf(content, isShort = false) {
  if (content.example !== undefined) return content.example;
  const named = Object.values(content.examples ?? {}).map(resolved)[0];
  return named?.value !== undefined ? named.value : example(content.schema, isShort);
}

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 2));
const code = (text, label) => element("pre", { tabIndex: 0, role: "region", "aria-label": label }, element("code", {}, text));

// ---- Operations ------------------------------------------------------------------------------------------------------

function operationParts(method, path, operation, shared) {
  const title = `${method.toUpperCase()} ${path}`;
  const parts = [
    element(
      "h3",
      {},
      element("span", { class: `method ${method}` }, method.toUpperCase()),
      element("span", { class: operation.deprecated ? "deprecated" : null }, path),
    ),
  ];
  if (operation.summary) parts.push(element("p", { class: "summary-of" }, ...inline(operation.summary)));
  if (operation.description && operation.description !== operation.summary) parts.push(prose(operation.description));
  const parameters = [...shared, ...(operation.parameters ?? [])].map(resolved);
  if (parameters.length > 0) {
    const fields = parameters.map(({ name, schema, description, required, deprecated, in: place }) => ({
      name,
      schema,
      description,
      isRequired: required,
      isDeprecated: deprecated,
      place,
    }));
    parts.push(element("h4", {}, "Parameters"), fieldTable(`Parameters of ${title}`, fields));
  }
  const body = operation.requestBody ? resolved(operation.requestBody) : null;
  for (const [media, content] of Object.entries(body?.content ?? {})) {
    parts.push(
      element("h4", {}, "Request ", element("small", {}, element("code", {}, media))),
      ...bodyParts(`Request of ${title}`, content),
    );
  }
  parts.push(element("h4", {}, "Call"), code(call(method, path, parameters, body), `Call of ${title}`));
  parts.push(
    element("h4", {}, "Responses"),
    ...Object.entries(operation.responses ?? {}).map(([status, response]) => responseParts(title, status, resolved(response))),
  );
  return parts;
}

function bodyParts(label, content) {
  const name = schemaName(content.schema);
  const named = name ? [element("p", { class: "media" }, "Schema ", ...typeParts(content.schema))] : [];
  return [...named, ...(content.schema ? schemaParts(label, content.schema) : [])];
}

function responseParts(title, status, { description, content = {} }) {
  const heading = [
    element("span", { class: `status-of${status.startsWith("2") ? " fine" : ""}` }, status),
    " ",
    ...inline(description || STATUSES[status[0]] || ""),
  ];
  const label = `Response ${status} of ${title}`;
  const bodies = Object.entries(content).flatMap(([media, body]) => {
    const given = exampleOf(body);
    return [
      element("p", { class: "media" }, element("code", {}, media)),
      ...bodyParts(`${label}, ${media}`, body),
      ...(given !== null && given !== "…" ? [code(shown(given), `Example of ${label}, ${media}`)] : []),
    ];
  });
  if (bodies.length === 0) return element("p", { class: "media" }, ...heading);
  return element("details", {}, element("summary", {}, ...heading), ...bodies);
}

/** Returns a command that makes the call. */
function call(method, path, parameters, body) {
  const known = (parameter) => parameter.example ?? example(parameter.schema);
  const value = (parameter) => (["…", null].includes(known(parameter)) ? parameter.name.toUpperCase() : String(known(parameter)));
  const filled = parameters
    .filter((parameter) => parameter.in === "path")
    .reduce((address, parameter) => address.replace(`{${parameter.name}}`, encodeURIComponent(value(parameter))), path);
  const query = new URLSearchParams(
    parameters
      .filter((parameter) => parameter.in === "query" && parameter.required)
      .map((parameter) => [parameter.name, value(parameter)]),
  );
  const address = `${new URL(filled.slice(1), document.baseURI)}${query.size > 0 ? `?${query}` : ""}`;
  const [media, content] = Object.entries(body?.content ?? {})[0] ?? [];
  if (!media) return method === "get" ? `curl ${quoted(address)}` : `curl -X ${method.toUpperCase()} ${quoted(address)}`;
  const given = exampleOf(content, true);
  const text = typeof given === "string" ? given : JSON.stringify(given);
  return `curl ${quoted(address)} \\\n  -H ${quoted(`Content-Type: ${media}`)} \\\n  -d ${quoted(text)}`;
}

const quoted = (text) =>
  /^[\w:/.?=&%-]+$/.test(text) && !text.includes("&") && !text.includes("?") ? text : `'${text.replaceAll("'", "'\\''")}'`;

// ---- The page --------------------------------------------------------------------------------------------------------

/** Returns all operations by tag, in the order of the document. */
function operationsByTag() {
  const groups = new Map((api.tags ?? []).map((tag) => [tag.name, []]));
  for (const [path, item] of Object.entries(api.paths ?? {})) {
    for (const method of METHODS.filter((one) => item[one])) {
      const tag = item[method].tags?.[0] ?? "Other";
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push({ method, path, operation: item[method], shared: item.parameters ?? [] });
    }
  }
  return [...groups].filter(([, operations]) => operations.length > 0);
}

function show() {
  const { title, version, description } = api.info;
  byId("title").replaceChildren(`${title} `, element("small", { class: "hint" }, version));
  document.title = `${title} API`;
  byId("introduction").replaceChildren(prose(description));
  const contents = [];
  for (const [tag, operations] of operationsByTag()) {
    const about = api.tags?.find(({ name }) => name === tag)?.description;
    byId("operations").append(element("h2", {}, tag), ...(about ? [prose(about)] : []));
    for (const { method, path, operation, shared } of operations) {
      const id = operationId(method, path);
      byId("operations").append(
        element(
          "section",
          { class: "operation", id, tabIndex: -1, "aria-label": `${method.toUpperCase()} ${path}` },
          ...operationParts(method, path, operation, shared),
        ),
      );
    }
    contents.push(
      element("h2", {}, tag),
      element(
        "ul",
        {},
        ...operations.map(({ method, path }) =>
          element(
            "li",
            {},
            element(
              "a",
              { href: `#${operationId(method, path)}` },
              element("span", { class: `method ${method}` }, method.toUpperCase()),
              element("span", {}, path),
            ),
          ),
        ),
      ),
    );
  }
  const schemas = Object.entries(api.components?.schemas ?? {}).sort(([left], [right]) => left.localeCompare(right));
  byId("schemas").hidden = schemas.length === 0;
  byId("schemas").append(
    ...schemas.map(([name, schema]) =>
      element(
        "section",
        { class: "schema", id: `schema-${name}`, tabIndex: -1, "aria-label": name },
        element("h3", {}, name),
        prose(schema.description),
        ...schemaParts(`Fields of ${name}`, schema),
      ),
    ),
  );
  if (schemas.length > 0) {
    contents.push(
      element("h2", {}, "Schemas"),
      element("ul", {}, ...schemas.map(([name]) => element("li", {}, element("a", { href: `#schema-${name}` }, name)))),
    );
  }
  byId("contents").replaceChildren(...contents);
  // The browser looked for the address's place before it was there.
  if (location.hash) byId(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

try {
  const response = await fetch("openapi.json");
  if (!response.ok) throw new Error(`The server answered ${response.status} for openapi.json.`);
  api = await response.json();
  show();
} catch (error) {
  showError(byId("error"), error);
}
