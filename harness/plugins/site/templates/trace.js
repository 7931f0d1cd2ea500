"use strict";
// Why a list has its passages where they are: seeds, the strongest paths to gold and to what beats it, and their graph.

const STEP_X = 260, STEP_Y = 44, BOX_X = 190, BOX_Y = 30, EDGE = 12;

function tracePart(split, sweep, question, told) {
  if (!told.trace) return el("p", {}, "This question was not traced when the site was made. ",
    el("code", {}, `harness trace query=${split.ids[question]} lock=runs/sweeps/${sweep.folder}`), " traces it; ", el("code", {}, "harness report traces=100"), " traces more questions.");
  if (!told.trace.trails.length) return el("p", {}, "No list of this sweep walks a graph that could be shown.");
  return told.trace.trails.map(trail => [
    el("h3", {}, `List ${trail.list}`),
    el("p", {class: "caption"}, "Green: gold. Orange: ranked above a gold passage by the winner. Blue: another passage. Grey: an entity. The wider a line, the stronger the path. Point at a box or line to read it."),
    el("div", {class: "wide", tabindex: 0, role: "region", "aria-label": `Graph of list ${trail.list}`}, graph(told.trace.nodes, trail)),
    fold(`${plural(trail.seeded, "seed")}, the strongest first`, () => el("ol", {}, trail.seeds.map(([weight, name]) => el("li", {}, `${weight} ${name}`)))),
    trail.paths.map(({to, paths}) => fold(`Paths to ${to}`, () => paths.length ? el("ul", {}, paths.map(path => el("li", {}, path[3]))) : el("p", {}, "No path from a seed."))),
  ]);
}

// Nodes in columns by the fewest steps in which a path reaches them.
function graph(nodes, trail) {
  const column = new Map(), lines = new Map();
  for (const {paths} of trail.paths) for (const [steps, links, strength] of paths) {
    const share = strength / (paths[0][2] || 1);
    steps.forEach((node, step) => column.set(node, Math.min(step, column.get(node) ?? step)));
    links.forEach((text, step) => {
      const name = `${steps[step]} ${steps[step + 1]}`, known = lines.get(name);
      lines.set(name, {from: steps[step], to: steps[step + 1], text, share: Math.max(share, known ? known.share : 0)});
    });
  }
  const filled = [], at = new Map();
  for (const [node, step] of column) {
    filled[step] = (filled[step] ?? 0) + 1;
    at.set(node, {x: EDGE + step * STEP_X, y: EDGE + (filled[step] - 1) * STEP_Y});
  }
  const width = 2 * EDGE + Math.max(0, filled.length - 1) * STEP_X + BOX_X, height = 2 * EDGE + Math.max(1, ...filled.filter(Boolean)) * STEP_Y;
  const edge = ({from, to, text, share}) => {
    const one = at.get(from), two = at.get(to), right = two.x > one.x, left = two.x < one.x;
    return svg("line", {x1: one.x + (right ? BOX_X : 0), y1: one.y + BOX_Y / 2, x2: two.x + (left ? BOX_X : 0), y2: two.y + BOX_Y / 2, "stroke-width": (1 + 5 * Math.min(share, 1)).toFixed(2)}, svg("title", {}, text));
  };
  const box = node => {
    const {x, y} = at.get(node), [name, kind] = nodes[node];
    return svg("g", {}, svg("title", {}, name), svg("rect", {class: kind, x, y, width: BOX_X, height: BOX_Y, rx: kind === "entity" ? 15 : 2}),
      svg("text", {x: x + 8, y: y + 19}, name.length > 26 ? `${name.slice(0, 25)}…` : name));
  };
  return svg("svg", {width, height, viewBox: `0 0 ${width} ${height}`, class: "graph", role: "img", "aria-label": "Strongest paths from the seeds to the gold passages and their rivals"},
    [...lines.values()].map(edge), [...column.keys()].map(box));
}
