"use strict";
// Wins and losses between strategies, each pair with its exact p and Holm's correction over all pairs that are shown.

async function matrixPage(key, name) {
  const [sweep, split] = await Promise.all([load(`${key}/sweep`), openSplit(key, name)]);
  const locked = [...split.trials.keys()].filter(row => split.trials[row].roles.length), all = [...split.trials.keys()];
  const place = el("div", {"aria-live": "polite"});
  const show = which => place.replaceChildren(...(which === "locked" ? small(split, locked) : large(split)).flat());
  show("locked");
  return {title: `Wins and losses on ${name}`, path: [[["sweep", key], sweep.title], [["matrix", key, name], `Wins and losses on ${name}`]], content: [
    el("p", {class: "caption"}, sweep.splits.find(each => each.name === name).caption),
    all.length > locked.length ? el("form", {class: "filters", submit: event => event.preventDefault()},
      choice("Strategies", [["locked", `the ${locked.length} locked ones`], ["all", `all ${all.length}`]], "locked", show)) : null, place]};
}

// Every pair of rows with W, L, p and Holm's p.
function pairs(split, rows) {
  const found = [];
  rows.forEach((row, at) => rows.slice(at + 1).forEach(other => {
    const {won, lost} = split.counts(row, other);
    found.push({row, other, won, lost, p: mcnemar(won, lost)});
  }));
  holm(found.map(pair => pair.p)).forEach((p, at) => { found[at].holm = p; });
  return found;
}

function small(split, rows) {
  const found = pairs(split, rows), known = new Map(found.map(pair => [`${pair.row} ${pair.other}`, pair]));
  const cell = (row, other) => {
    if (row === other) return el("td", {class: "same"}, "–");
    const turned = !known.has(`${row} ${other}`), pair = known.get(turned ? `${other} ${row}` : `${row} ${other}`);
    const [won, lost] = turned ? [pair.lost, pair.won] : [pair.won, pair.lost];
    const told = `${split.trials[row].name} won ${won} and lost ${lost} against ${split.trials[other].name}: raw p by question ${showP(pair.p)}, Holm p ${showP(pair.holm)}`;
    return el("td", {class: pair.holm > 0.05 ? "even" : won > lost ? "better" : "worse", title: told},
      el("a", {href: address("trial", split.key, split.name, split.trials[row].trial, split.trials[other].trial), "aria-label": told}, `${won}/${lost}`),
      el("small", {}, showP(pair.p), el("br"), showP(pair.holm)));
  };
  return [el("p", {class: "caption"}, `A cell: questions that the row's strategy won / lost against the column's; below it the exact McNemar p by question and Holm's over these ${found.length} pairs. ` +
    "Blue: the row is better, orange: worse, by Holm's p at .05. Choose a cell to read its questions."),
    el("div", {class: "wide", tabindex: 0, role: "region", "aria-label": "Wins and losses"}, el("table", {class: "matrix"},
      el("thead", {}, el("tr", {}, el("td"), rows.map((row, at) => el("th", {scope: "col", title: split.trials[row].name}, String(at + 1))))),
      el("tbody", {}, rows.map((row, at) => el("tr", {}, el("th", {scope: "row", class: "text"}, `${at + 1} ${split.trials[row].name}`), rows.map(other => cell(row, other)))))))];
}

// All strategies as an image: a pixel a pair, read by pointing at it.
function large(split) {
  const count = split.trials.length, rows = [...split.trials.keys()], found = pairs(split, rows), known = new Map();
  const canvas = el("canvas", {width: count, height: count, class: "map", role: "img",
    "aria-label": "Net wins of every strategy against every other, best first"});
  const most = found.reduce((most, pair) => Math.max(most, Math.abs(pair.won - pair.lost)), 1), pen = canvas.getContext("2d");
  const image = pen.createImageData(count, count), blue = [0, 84, 140], orange = [200, 80, 0];
  const paint = (row, other, net, sure) => {
    const share = 0.2 + 0.8 * Math.sqrt(Math.abs(net) / most), color = net > 0 ? blue : orange, at = 4 * (row * count + other);
    for (let part = 0; part < 3; part++) image.data[at + part] = sure ? 255 - share * (255 - color[part]) : 228;
    image.data[at + 3] = 255;
  };
  for (const pair of found) {
    known.set(pair.row * count + pair.other, pair);
    paint(pair.row, pair.other, pair.won - pair.lost, pair.holm <= 0.05);
    paint(pair.other, pair.row, pair.lost - pair.won, pair.holm <= 0.05);
  }
  pen.putImageData(image, 0, 0);
  const said = el("p", {class: "said", role: "status"}, "Point at a cell.");
  const place = event => {
    const box = canvas.getBoundingClientRect();
    return [event.clientY - box.top, event.clientX - box.left].map(at => Math.min(count - 1, Math.max(0, Math.floor(at / box.width * count))));
  };
  canvas.addEventListener("pointermove", event => {
    const [row, other] = place(event), pair = known.get(Math.min(row, other) * count + Math.max(row, other));
    if (!pair) return;
    const [won, lost] = row > other ? [pair.lost, pair.won] : [pair.won, pair.lost];
    said.textContent = `${split.trials[row].name} against ${split.trials[other].name}: ${won} won, ${lost} lost, raw p by question ${showP(pair.p)}, Holm p ${showP(pair.holm)}`;
  });
  canvas.addEventListener("click", event => {
    const [row, other] = place(event);
    if (row !== other) location.hash = address("trial", split.key, split.name, split.trials[row].trial, split.trials[other].trial);
  });
  const different = found.filter(pair => pair.holm <= 0.05).length;
  return [el("p", {class: "caption"}, `Rows and columns: the ${count} strategies best first. Blue: the row's is better than the column's, orange: worse, the darker the more net wins; ` +
    `grey: no difference at .05 by Holm's p over ${found.length} pairs (${different} differ). A strategy's own page sets it against any other.`), said, canvas];
}
