"use strict";
// Figures that say the value of what is pointed at: bars, lines with bands, scattered points; below each its values.

const COLORS = 8, WIDE = innerWidth < 640 ? 360 : 560, HIGH = 320, PAD = {left: 56, right: 16, top: 12, bottom: 44};
const SHAPES = [[0, 360, 24], [45, 405, 4], [-90, 270, 3], [0, 360, 4], [90, 450, 3], [0, 360, 6]];

function chart(spec, addressOf) {
  const said = el("p", {class: "said", role: "status"}, "\u00a0");
  const tell = text => { said.textContent = text || "\u00a0"; };
  const draw = spec.kind === "bar" ? bars : plot;
  return el("figure", {class: "chart"}, el("figcaption", {}, el("h3", {}, spec.title)), draw(spec, tell, addressOf), said, legend(spec),
    el("p", {class: "caption"}, spec.caption), fold("Values", () => values(spec)));
}

function values(spec) {
  const points = spec.series.flatMap(series => series.points.map(point => [series.name, ...point.slice(0, 3)]));
  return table({title: `Values of ${spec.title}`, columns: [{title: "series", kind: "text"}, {title: spec.kind === "bar" ? "part" : spec.x, kind: "text"}, {title: spec.y || spec.x, kind: "count"}, {title: "what it is", kind: "text"}],
    rows: points.map(([name, x, y, text]) => [name, String(x), y.toFixed(spec.decimals ?? 0), text]), keys: points.map(point => [null, null, point[2], null])}, {step: 50});
}

function legend(spec) {
  const named = spec.series.map(series => series.name).filter(Boolean);
  return named.length > 1 || spec.rules ? el("ul", {class: "legend"}, named.map((name, number) => el("li", {},
    key(14, mark(number, 0, 0)), name)),
    spec.winner && spec.kind === "scatter" ? el("li", {}, key(14, star(0, 0)), "winner") : null,
    (spec.rules ?? []).map(([name, y], number) => el("li", {}, key(34, svg("line", {class: "rule", x1: -16, x2: 16, "stroke-dasharray": dashes(number)})), `${name} ${y.toFixed(1)}`))) : null;
}

const key = (wide, drawn) => svg("svg", {width: wide, height: 14, viewBox: `${-wide / 2} -7 ${wide} 14`, "aria-hidden": "true"}, drawn);
const dashes = number => ["7 4", "2 3", "8 3 2 3"][number % 3];

function star(x, y) {
  const places = Array.from({length: 10}, (_, corner) => [corner % 2 ? 4 : 9, (corner * 36 - 90) * Math.PI / 180])
    .map(([size, angle]) => `${(x + size * Math.cos(angle)).toFixed(1)},${(y + size * Math.sin(angle)).toFixed(1)}`);
  return svg("polygon", {points: places.join(" "), class: "star"});
}

// A point: colour and shape of its series, so that neither alone has to tell.
function mark(number, x, y) {
  const [from, , corners] = SHAPES[number % SHAPES.length], size = corners === 24 ? 4 : 5;
  const places = Array.from({length: corners}, (_, corner) => (from + 360 * corner / corners) * Math.PI / 180)
    .map(angle => `${(x + size * Math.cos(angle)).toFixed(1)},${(y + size * Math.sin(angle)).toFixed(1)}`);
  return svg("polygon", {points: places.join(" "), class: `mark c${number % COLORS}`});
}

function bars(spec, tell) {
  const points = spec.series[0].points, row = 34, letters = WIDE < 500 ? 20 : 28, most = Math.max(1, ...points.map(point => point[1])), left = 7 * letters, width = WIDE - left - 46;
  return svg("svg", {viewBox: `0 0 ${WIDE} ${points.length * row + 28}`, role: "img", "aria-label": `${spec.title}: ${points.map(point => `${point[0]} ${point[1]}`).join(", ")}`},
    points.map(([name, count, text], at) => svg("g", {pointerenter: () => tell(`${name}: ${text}`), pointerleave: () => tell("")}, svg("title", {}, `${name}: ${text}`),
      svg("rect", {class: "hover", x: 0, y: at * row, width: WIDE, height: row}),
      svg("text", {x: left - 8, y: at * row + 21, "text-anchor": "end"}, name.length > letters ? `${name.slice(0, letters - 1)}…` : name),
      svg("rect", {class: `bar c${spec.shades[at]}`, x: left, y: at * row + 6, width: Math.max(1, width * count / most).toFixed(1), height: row - 12}),
      svg("text", {x: left + width * count / most + 6, y: at * row + 21}, count.toFixed(spec.decimals ?? 0)))),
    svg("text", {class: "unit", x: WIDE - 8, y: points.length * row + 18, "text-anchor": "end"}, spec.x || spec.y));
}

function plot(spec, tell, addressOf) {
  const points = spec.series.flatMap(series => series.points), words = points.some(point => typeof point[0] === "string");
  const names = words ? [...new Set(points.map(point => point[0]))] : [], across = point => words ? names.indexOf(point[0]) : point[0];
  const heights = [...points.map(point => point[1]), ...spec.series.flatMap(series => (series.band ?? []).flat()), ...(spec.rules ?? []).map(rule => rule[1])];
  const x = scale(points.map(across), PAD.left, WIDE - PAD.right), y = scale(heights, HIGH - PAD.bottom, PAD.top);
  const at = point => `${x.at(across(point)).toFixed(1)},${y.at(point[1]).toFixed(1)}`;
  const shown = svg("svg", {viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": `${spec.title}. The values are listed below.`});
  const ticks = words ? names.map((name, place) => [place, name]) : x.ticks;
  shown.append(...y.ticks.map(([value, text]) => svg("g", {class: "axis"}, svg("line", {x1: PAD.left, x2: WIDE - PAD.right, y1: y.at(value), y2: y.at(value)}), svg("text", {x: PAD.left - 6, y: y.at(value) + 4, "text-anchor": "end"}, text))),
    ...ticks.map(([value, text]) => svg("g", {class: "axis"}, svg("text", {x: x.at(value), y: HIGH - PAD.bottom + 18, "text-anchor": "middle"}, text))),
    svg("text", {x: (PAD.left + WIDE) / 2, y: HIGH - 6, "text-anchor": "middle"}, spec.x),
    svg("text", {x: 12, y: HIGH / 2 - 16, "text-anchor": "middle", transform: `rotate(-90 12 ${HIGH / 2 - 16})`}, spec.y));
  (spec.rules ?? []).forEach(([name, value], number) => shown.append(svg("line", {class: "rule", "stroke-dasharray": dashes(number), x1: PAD.left, x2: WIDE - PAD.right, y1: y.at(value), y2: y.at(value)}, svg("title", {}, `${name} ${value.toFixed(1)}`))));
  if (spec.edge) shown.append(svg("path", {class: "edge", d: spec.edge.map((point, number) => number ? `H${x.at(point[0]).toFixed(1)}V${y.at(point[1]).toFixed(1)}` : `M${at(point)}`).join("")}));
  spec.series.forEach((series, number) => {
    if (series.band && spec.series.length <= 3) shown.append(svg("polygon", {class: `band c${number % COLORS}`, points: [...series.points.map((point, place) => `${x.at(across(point))},${y.at(series.band[place][0])}`), ...series.points.map((point, place) => `${x.at(across(point))},${y.at(series.band[place][1])}`).reverse()].join(" ")}));
    if (spec.kind === "line") shown.append(svg("polyline", {class: `line c${number % COLORS}`, points: series.points.map(at).join(" ")}));
  });
  spec.series.forEach((series, number) => shown.append(...series.points.map(point => {
    const drawn = svg("g", {class: "point", pointerenter: () => tell(point[2]), pointerleave: () => tell("")}, svg("title", {}, point[2]), spec.winner && point[3] === spec.winner ? star(x.at(across(point)), y.at(point[1])) : mark(number, x.at(across(point)), y.at(point[1])));
    return point[3] ? svg("a", {href: addressOf(point[3]), tabindex: -1}, drawn) : drawn;
  })));
  for (const node of shown.querySelectorAll(".star")) shown.append(node.closest("a"));
  return shown;
}

// Places on an axis for numbers, with about five round ticks.
function scale(numbers, from, to) {
  let low = numbers.reduce((least, one) => Math.min(least, one), Infinity), high = numbers.reduce((most, one) => Math.max(most, one), -Infinity);
  if (!(high > low)) { low -= 1; high += 1; }
  const room = (high - low) * 0.04, rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(each => each >= rough);
  const ticks = [];
  for (let count = Math.ceil(low / step); count * step <= high + 1e-9; count++) ticks.push([count * step, String(Number((count * step).toPrecision(6)))]);
  return {ticks, at: value => from + (to - from) * (value - low + room) / (high - low + 2 * room)};
}
