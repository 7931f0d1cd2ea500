"use strict";
// The first page: the leaderboard of all systems, every sweep in a line, and what cannot be read.

async function home() {
  const index = await load("index");
  return {title: "Results", path: [], heading: "Multi-hop retrieval: results", content: [
    index.boards.length ? leaderboard(index) : el("p", {}, "No sweep can be read yet; run `harness sweep`, then `harness report`."),
    index.sweeps.rows.length ? el("section", {"aria-labelledby": "sweeps"}, el("h2", {id: "sweeps"}, "Sweeps"), sweepList(index.sweeps)) : null,
    index.unread.length ? el("section", {"aria-labelledby": "unread"}, el("h2", {id: "unread"}, `${plural(index.unread.length, "folder")} that cannot be shown`),
      table({title: "Folders that cannot be shown", columns: [{title: "folder", kind: "text"}, {title: "reason", kind: "text wrap"}], rows: index.unread, keys: []})) : null,
    fold("Words on these pages", glossary),
  ]};
}

function leaderboard(index) {
  const place = el("div", {"aria-live": "polite"});
  const show = split => place.replaceChildren(...board(index.boards.find(one => one.split === split), index.boards.length > 1
    ? choice("Split", index.boards.map(one => [one.split, one.split]), split, show) : null));
  show(index.boards[0].split);
  return el("section", {"aria-labelledby": "board"}, el("h2", {id: "board"}, "Leaderboard"), place);
}

function board(spec, splits) {
  const state = {words: "", encoder: "", kind: "", benchmark: "", metric: ""}, columns = spec.columns;
  const metric = place => spec.groups[place] ? columns[place].title : null;
  const show = place => !metric(place) || ((!state.benchmark || spec.groups[place] === state.benchmark) && (!state.metric || metric(place) === state.metric));
  const keep = row => (!state.encoder || spec.encoders[row] === state.encoder) && (!state.kind || spec.kinds[row] === state.kind)
    && (!state.benchmark || Object.hasOwn(spec.places[row], state.benchmark))
    && state.words.toLowerCase().split(/\s+/).every(word => spec.rows[row].join(" ").toLowerCase().includes(word));
  const chosen = () => spec.best.find(one => one.encoder === state.encoder && one.kind === state.kind);
  const look = (row, column) => ["best", "equal"].find(name => chosen()[name].some(one => one[0] === row && one[1] === column)) ?? null;
  const cell = (row, column) => {
    const own = spec.places[row][spec.groups[column]] ?? (column === 0 ? Object.values(spec.places[row])[0] : null);
    return own ? ["trial", ...own] : null;
  };
  const listed = table(spec, {keep, show, look, link: cell, count: true, step: 50, save: `leaderboard-${spec.split}`, sort: columns.findIndex((_, place) => metric(place)), empty: "No system is left by these filters."});
  const first = () => columns.findIndex((_, place) => metric(place) && show(place));
  const set = name => value => { state[name] = value; listed.redraw(["benchmark", "metric"].includes(name) ? first() : undefined); };
  const options = values => [["", "all"], ...[...new Set(values)].filter(Boolean).map(value => [value, value])];
  const filter = (label, name, values) => options(values).length > 2 ? choice(label, options(values), "", set(name)) : null;
  return [el("form", {class: "filters", role: "search", "aria-label": "Filters of the leaderboard", submit: event => event.preventDefault()},
      field("Search", "", set("words")), splits, filter("Benchmark", "benchmark", spec.groups), filter("Metric", "metric", columns.map((_, place) => metric(place))),
      filter("Encoder", "encoder", spec.encoders), filter("Kind", "kind", spec.kinds)),
    listed,
    el("p", {class: "caption"}, `In percent of the questions of ${spec.split}${spec.split === "tune" ? ", by which the fusions were chosen" : ", scored once by what was chosen on tune"}. Bold: the best of the column; `
      + `${EQUAL}: not shown to differ from it (exact test, by cluster where questions share gold passages, Holm's p above .05 over the systems of the column, of the chosen encoder and kind). `
      + "Best fusion, best of its fuser: of all trials of the sweep on tune. Ms together, index seconds: of all lists that it reads, on the machine that made them; the mean over benchmarks. A cell leads to the questions behind it.")];
}

function sweepList(spec) {
  const state = {newest: true}, names = spec.columns.map(column => column.title), earlier = spec.places.some(place => place[4]);
  const cells = {"sweep": place => ["sweep", place[0]], "winner": place => ["trial", ...place.slice(0, 3)], "L": place => place[3] ? ["trial", ...place.slice(0, 4), "lost"] : null};
  const listed = table(spec, {keep: row => !(state.newest && spec.places[row][4]), link: (row, column) => cells[names[column]]?.(spec.places[row])});
  return [el("p", {class: "caption"}, "Each sweep's winner on tune, and how it differs from the best single list on tune: 95% interval and raw p by cluster where questions share gold passages; no difference is given if the winner ranks as that list does. L: questions that the winner loses to it."),
    earlier ? el("form", {class: "filters", submit: event => event.preventDefault()}, el("label", {},
      el("input", {type: "checkbox", change: event => { state.newest = !event.target.checked; listed.redraw(); }}), " earlier sweeps of the same title, too")) : null,
    listed];
}

function glossary() {
  const words = {
    "system": "a list alone or a fusion of lists, with the encoder and the graph that its lists are made with",
    "sweep": "many configurations (trials) of fusing the same lists, scored on one benchmark",
    "tune, test": "the two halves of a benchmark's questions: strategies are chosen on tune; test is scored once, by the locked ones",
    "locked": "written down on tune before test was touched: the winner, the best trial of each fuser, and the baselines",
    "reference": "the list that wins and losses are counted against, mostly dense",
    "LastHop@5": "the last gold passage in hop order is among the first 5",
    "FullSup@5": "all gold passages are among the first 5",
    "Recall@5": "the share of gold passages among the first 5",
    "absent": "a gold passage that the fused list does not hold at all",
  };
  return el("dl", {}, Object.entries(words).map(([word, meaning]) => [el("dt", {}, word), el("dd", {}, meaning)]));
}
