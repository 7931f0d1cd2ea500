"use strict";
// A table that sorts by a click on a column's head, shows its rows step by step, and is saved as it is shown.
// spec: title, of (the data), caption, columns [{title, kind}], groups [text above a column], rows [[text]], keys [[number or null]], marked [row].
// options: to(row), the address of a row; keep(row), whether it is shown; named, the column that is its link; show(column), whether
// that is shown; link(row, column), the address of a cell; look(row, column), "best", "equal" or nothing; save, the name of its files.

const STEP = 100, EQUAL = "≈";

function table(spec, options = {}) {
  const {to = () => null, keep = () => true, show = () => true, look = () => null, step = STEP, empty = "No row."} = options, columns = spec.columns;
  const named = options.named ?? Math.max(0, columns.findIndex(column => column.kind === "text"));
  const leads = options.link ?? ((row, column) => column === named ? to(row) : null);
  const state = {sort: options.sort ?? null, down: true, shown: step};
  const body = el("tbody"), more = el("p", {class: "more"}), count = el("p", {class: "caption", role: "status"});
  const heads = columns.map((column, place) => el("th", {class: column.kind, scope: "col"},
    el("button", {type: "button", click: () => sort(place)}, column.title)));
  const above = el("tr", {class: "above"}), head = el("tr");
  const whole = el("div", {class: "wide", tabindex: 0, role: "region", "aria-label": spec.title},
    el("table", {}, el("thead", {}, above, head), body));
  const places = () => [...columns.keys()].filter(place => show(place));

  function sort(place) {
    state.down = state.sort === place ? !state.down : !columns[place].kind.startsWith("text");
    state.sort = place;
    draw();
  }
  function order() {
    const rows = spec.rows.map((_, row) => row).filter(keep);
    if (state.sort === null) return rows;
    const place = state.sort, sign = state.down ? -1 : 1, text = columns[place].kind.startsWith("text");
    const value = row => text ? spec.rows[row][place] : spec.keys[row][place];
    return rows.sort((a, b) => {
      const one = value(a), other = value(b);
      if (one === null || other === null) return (one === null) - (other === null) || a - b;
      return sign * (text ? one.localeCompare(other) : one - other) || a - b;
    });
  }
  function cell(row, column) {
    const place = leads(row, column), said = look(row, column), text = spec.rows[row][column];
    return el("td", {class: `${columns[column].kind}${said ? ` ${said}` : ""}`}, place ? link(place, text) : text, said === "equal" ? el("sup", {}, EQUAL) : null);
  }
  function draw() {
    heads.forEach((head, place) => place === state.sort
      ? head.setAttribute("aria-sort", state.down ? "descending" : "ascending") : head.removeAttribute("aria-sort"));
    const rows = order(), shown = places();
    above.replaceChildren(...spans(spec, shown).map(([text, wide]) => el("th", {colspan: wide, scope: "colgroup"}, text)));
    above.hidden = !shown.some(place => spec.groups?.[place]);
    head.replaceChildren(...shown.map(place => heads[place]));
    body.replaceChildren(...rows.slice(0, state.shown).map(row => el("tr", {class: spec.marked?.includes(row) ? "winner" : null}, shown.map(column => cell(row, column)))));
    const left = rows.length - state.shown;
    more.replaceChildren(...(left > 0 ? [el("button", {type: "button", click: () => { state.shown += step; draw(); }}, `Show ${Math.min(left, step)} more`)] : []));
    count.textContent = rows.length === 0 ? empty : left > 0 ? `${state.shown} of ${rows.length} rows` : options.count ? plural(rows.length, "row") : "";
  }
  draw();
  const saved = (form, ending) => el("button", {type: "button", click: () => download(`${options.save}.${ending}`, form(spec, order(), places(), look))}, ending === "csv" ? "CSV" : "LaTeX");
  const node = el("div", {class: "table"}, el("div", {class: "bar"}, count, options.save ? el("p", {class: "save"}, "Save what is shown: ", saved(asCsv, "csv"), " ", saved(asLatex, "tex")) : null), whole, more);
  node.redraw = (sort = state.sort) => { Object.assign(state, {shown: step, sort}); draw(); };
  return node;
}

function captioned(spec, options) {
  return [el("p", {class: "caption"}, spec.of ? `${spec.of}. ` : "", spec.caption), table(spec, options)];
}

// Neighbours of one group of columns: its name, and how many they are.
function spans(spec, shown) {
  const found = [];
  for (const place of shown) {
    const name = spec.groups?.[place] ?? "", last = found.at(-1);
    if (last && last[0] === name) last[1]++; else found.push([name, 1]);
  }
  return found;
}

function download(name, text) {
  const place = URL.createObjectURL(new Blob([text], {type: "text/plain;charset=utf-8"}));
  el("a", {href: place, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(place), 60000);
}

// Shares and no percents, as harness writes CSV; text that begins as a formula does stands behind an apostrophe.
function asCsv(spec, rows, shown) {
  const quoted = value => /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
  const text = value => quoted(/^\s*[=+\-@]./.test(value) ? `'${value}` : value);
  const cell = (row, place) => spec.columns[place].kind.startsWith("text") ? text(spec.rows[row][place]) : String(spec.keys[row][place] ?? "");
  const head = shown.map(place => text([spec.groups?.[place], spec.columns[place].title.replace(/ %$/, "")].filter(Boolean).join(" ")));
  return [head, ...rows.map(row => shown.map(place => cell(row, place)))].map(line => line.join(",") + "\n").join("");
}

const TEX = {"\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\&", "#": "\\#", "%": "\\%", "_": "\\_", "^": "\\textasciicircum{}", "~": "\\textasciitilde{}",
  "<": "\\textless{}", ">": "\\textgreater{}", "–": "\\textendash{}", "[": "{[}", "]": "{]}", "*": "{*}", "α": "$\\alpha$", "β": "$\\beta$"};

function asLatex(spec, rows, shown, look) {
  const tex = text => [...text].map(letter => TEX[letter] ?? letter).join("");
  const cell = (row, place) => {
    const text = tex(spec.rows[row][place]), said = look(row, place);
    return said === "best" || spec.marked?.includes(row) ? `\\textbf{${text}}` : said === "equal" ? `${text}$^{\\approx}$` : text;
  };
  const line = cells => `${cells.join(" & ")} \\\\\n`, groups = spans(spec, shown);
  let first = 1;
  const rules = groups.map(([name, wide]) => { const from = first; first += wide; return name ? `\\cmidrule(lr){${from}-${first - 1}}` : ""; }).join("");
  const above = groups.some(([name]) => name) ? `${line(groups.map(([name, wide]) => `\\multicolumn{${wide}}{c}{${tex(name)}}`))}${rules}\n` : "";
  return `% Needs the package booktabs.\n\\begin{tabular}{${shown.map(place => spec.columns[place].kind.startsWith("text") ? "l" : "r").join("")}}\n\\toprule\n${above}` +
    `${line(shown.map(place => tex(spec.columns[place].title)))}\\midrule\n${rows.map(row => line(shown.map(place => cell(row, place)))).join("")}\\bottomrule\n\\end{tabular}\n`;
}
