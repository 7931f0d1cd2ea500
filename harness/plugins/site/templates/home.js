"use strict";
// The first page: every sweep in a line, and what cannot be read.

async function home() {
  const index = await load("index");
  return {title: "Results", path: [], heading: "Multi-hop retrieval: results", content: [
    index.sweeps.rows.length ? null : el("p", {}, "No sweep can be read yet; run `harness sweep`, then `harness report`."),
    index.sweeps.rows.length ? el("section", {"aria-labelledby": "sweeps"}, el("h2", {id: "sweeps"}, "Sweeps"), sweepList(index.sweeps)) : null,
    index.unread.length ? el("section", {"aria-labelledby": "unread"}, el("h2", {id: "unread"}, `${plural(index.unread.length, "folder")} that cannot be shown`),
      table({title: "Folders that cannot be shown", columns: [{title: "folder", kind: "text"}, {title: "reason", kind: "text wrap"}], rows: index.unread, keys: []})) : null,
    fold("Words on these pages", glossary),
  ]};
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
