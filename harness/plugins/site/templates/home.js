"use strict";
// The first page: every sweep of the report in a line.

async function home() {
  const index = await load("index");
  return {title: "Results", path: [], heading: "Multi-hop retrieval: results", content: [
    el("section", {"aria-labelledby": "sweeps"}, el("h2", {id: "sweeps"}, "Sweeps"), sweepList(index.sweeps)),
    fold("Words on these pages", glossary),
  ]};
}

function sweepList(spec) {
  const names = spec.columns.map(column => column.title);
  const cells = {"sweep": place => ["sweep", place[0]], "winner": place => ["trial", ...place.slice(0, 3)], "L": place => place[3] ? ["trial", ...place, "lost"] : null};
  const listed = table(spec, {link: (row, column) => cells[names[column]]?.(spec.places[row])});
  return [el("p", {class: "caption"}, "Each sweep's winner on tune, compared with the best single list on tune; a dash if the winner ranks as that list does. The 95% interval and the deciding p (that of the verdict) are by cluster if questions share gold passages. L: questions that the winner loses to that list."),
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
