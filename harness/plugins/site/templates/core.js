"use strict";
// Elements, addresses, and the chunks of data that pages load when they need them. Text from data only ever becomes text.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) node.append(child);
  return node;
}
const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
// place: the parts of an address of this file, or the address of a place in another one.
const link = (place, ...children) => el("a", {href: Array.isArray(place) ? address(...place) : place}, ...children);

function address(...parts) {
  return "#/" + parts.map(part => encodeURIComponent(String(part))).join("/");
}
// A count as words, which lead to what is counted; of none there is nothing to see.
function counted(place, count, text) {
  return count ? link(place, text) : text;
}
function plural(count, one, many = one + "s") {
  return `${count} ${count === 1 ? one : many}`;
}

const chunks = new Map();

// Called by the files of data/, once each. Their content is JSON in a string: no name in it can be code or a prototype.
function put(name, text) {
  chunks.get(name).resolve(JSON.parse(text));
}

// The content of data/<name>.js. A script element works from disk, where fetch() does not.
function load(name) {
  if (!chunks.has(name)) {
    const chunk = {};
    chunk.promise = new Promise((resolve, reject) => {
      chunk.resolve = resolve;
      const source = `data/${name}.js`;
      document.head.append(el("script", {src: source, error: () => reject(new Error(`${source} cannot be read: copy the whole folder`))}));
    });
    chunks.set(name, chunk);
  }
  return chunks.get(name).promise;
}

// Numbers of 1, 2 or 4 bytes (little-endian), as base64.
function numbers(packed) {
  const text = atob(packed.data), bytes = new Uint8Array(text.length);
  for (let place = 0; place < text.length; place++) bytes[place] = text.charCodeAt(place);
  return new ({1: Uint8Array, 2: Uint16Array, 4: Uint32Array}[packed.bytes])(bytes.buffer);
}

function choice(label, options, value, change) {
  const select = el("select", {change: () => change(select.value)},
    options.map(([key, text]) => el("option", {value: key, selected: String(key) === String(value)}, text)));
  return el("label", {}, label, " ", select);
}
function field(label, value, change, attributes = {}) {
  const input = el("input", {type: "search", value, ...attributes, input: () => change(input.value)});
  return el("label", {}, label, " ", input);
}
function fold(title, content, open = false) {
  const details = el("details", {open}, el("summary", {}, title));
  const show = () => { if (details.open && content) { details.append(...[content()].flat()); content = null; } };
  details.addEventListener("toggle", show);
  show();
  return details;
}
