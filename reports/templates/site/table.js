"use strict";
// A table that sorts by a click on a column's head and shows its rows step by step.
// spec: title, caption, columns [{title, kind}], rows [[text]], keys [[number or null]], marked [row].
// options: to(row), the address of a row; keep(row), whether it is shown; named, the column that is its link.

const STEP = 100;

function table(spec, options = {}) {
  const {to = () => null, keep = () => true, step = STEP, empty = "No row."} = options, columns = spec.columns;
  const named = options.named ?? Math.max(0, columns.findIndex(column => column.kind === "text"));
  const state = {sort: null, down: true, shown: step};
  const body = el("tbody"), more = el("p", {class: "more"}), count = el("p", {class: "caption", role: "status"});
  const heads = columns.map((column, place) => el("th", {class: column.kind, scope: "col"},
    el("button", {type: "button", click: () => sort(place)}, column.title)));
  const whole = el("div", {class: "wide", tabindex: 0, role: "region", "aria-label": spec.title},
    el("table", {}, el("thead", {}, el("tr", {}, heads)), body));

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
  function line(row) {
    const place = to(row);
    return el("tr", {class: spec.marked?.includes(row) ? "winner" : null},
      spec.rows[row].map((text, column) => el("td", {class: columns[column].kind},
        column === named && place ? link(place, text) : text)));
  }
  function draw() {
    heads.forEach((head, place) => place === state.sort
      ? head.setAttribute("aria-sort", state.down ? "descending" : "ascending") : head.removeAttribute("aria-sort"));
    const rows = order();
    body.replaceChildren(...rows.slice(0, state.shown).map(line));
    const left = rows.length - state.shown;
    more.replaceChildren(...(left > 0 ? [el("button", {type: "button", click: () => { state.shown += step; draw(); }}, `Show ${Math.min(left, step)} more`)] : []));
    count.textContent = rows.length === 0 ? empty : left > 0 ? `${state.shown} of ${rows.length} rows` : options.count ? plural(rows.length, "row") : "";
  }
  draw();
  const node = el("div", {class: "table"}, count, whole, more);
  node.redraw = () => { state.shown = step; draw(); };
  return node;
}

function captioned(spec, options) {
  return [el("p", {class: "caption"}, spec.caption), table(spec, options)];
}
