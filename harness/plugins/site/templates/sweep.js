"use strict";
// A sweep: what it shows in words, its locked strategies, figures, all trials, and every table of the report.

async function sweepPage(key) {
  const sweep = await load(`${key}/sweep`);
  const last = sweep.splits.at(-1), split = await openSplit(key, last.name);
  const winner = split.place(sweep.winner);
  const singles = split.trials.filter(one => one.family === "single" && one.trial !== sweep.winner);
  return {title: sweep.title, path: [[["sweep", key], sweep.title]], content: [
    el("p", {class: "lead"}, sweep.verdict),
    heldoutFirst(sweep, key),
    el("section", {"aria-labelledby": "trials"}, el("h2", {id: "trials"}, "All trials on tune"), trials(sweep, key, await openSplit(key, "tune"))),
    sweep.lead.map(line => el("p", {}, line)),
    el("section", {"aria-labelledby": "figures"}, el("h2", {id: "figures"}, "Figures"), el("div", {class: "figures"},
      sweep.pictures.map(picture => el("figure", {}, el("figcaption", {}, el("h3", {}, picture.title)),
        el("img", {src: picture.file, alt: picture.caption, loading: "lazy"}), el("p", {class: "caption"}, picture.caption))))),
    el("section", {"aria-labelledby": "questions"}, el("h2", {id: "questions"}, `Questions that the winner won and lost (${last.name})`),
      el("ul", {class: "counts"}, singles.map(other => {
        const found = split.counts(winner, split.place(other.trial)), place = ["trial", key, last.name, sweep.winner, other.trial];
        return el("li", {}, `Against ${other.name}: `, counted([...place, "lost"], found.lost, `lost ${found.lost}`), ", ", counted([...place, "won"], found.won, `won ${found.won}`),
          ` (${sayP(mcnemar(found.won, found.lost))}).`);
      })),
      el("p", {}, sweep.splits.map((each, number) => [number ? ", " : "Every strategy against every other: ", link(["matrix", key, each.name], `wins and losses on ${each.name}`)]), ".")),
    el("section", {"aria-labelledby": "tables"}, el("h2", {id: "tables"}, "More tables of the report"),
      sweep.tables.filter(spec => spec.name !== "heldout").map(spec => fold(spec.title, () => captioned(spec)))),
    el("section", {"aria-labelledby": "facts"}, el("h2", {id: "facts"}, "Where these numbers come from"),
      el("dl", {}, Object.entries(sweep.facts).map(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]))),
  ]};
}

function heldoutFirst(sweep, key) {
  const spec = sweep.tables.find(one => one.name === "heldout");
  const same = sweep.heldout.filter(([, copy]) => copy).length;
  return spec ? el("section", {"aria-labelledby": "heldout"}, el("h2", {id: "heldout"}, spec.title),
    table(spec, {keep: row => !sweep.heldout[row][1], to: row => ["trial", key, "test", sweep.heldout[row][0]], save: `${key}-heldout`}),
    same ? el("p", {class: "caption"}, `Not shown: ${plural(same, "locked trial")} that ${same === 1 ? "ranks" : "rank"} all gold passages as one of these.`) : null, fold("What the columns are", () => el("p", {class: "caption"}, spec.caption))) : null;
}

// A trial that ranks all gold passages as one above it, or as the winner, is hidden until the reader asks for it.
function trials(sweep, key, split) {
  const spec = sweep.trials, state = {words: "", family: "", copies: false}, copies = new Set(sweep.copies);
  const keep = row => (state.copies || !copies.has(row)) && (!state.family || split.trials[row].family === state.family)
    && state.words.toLowerCase().split(/\s+/).every(word => `${split.trials[row].name} ${split.trials[row].typed}`.toLowerCase().includes(word));
  const listed = table(spec, {keep, to: row => ["trial", key, "tune", split.trials[row].trial], named: 1, step: 10, count: true, save: `${key}-trials`, empty: "No trial has these words."});
  const set = part => value => { state[part] = value; listed.redraw(); };
  return [el("form", {class: "filters", role: "search", "aria-label": "Filters of the trials", submit: event => event.preventDefault()},
    field("Name has", "", set("words")), choice("Family", [["", "all"], ...Object.entries(sweep.families)], "", set("family")),
    copies.size ? el("label", {}, el("input", {type: "checkbox", change: event => set("copies")(event.target.checked)}), ` show ${copies.size} more, which rank all gold passages as one above them`) : null),
    listed, fold("What the columns are", () => el("p", {class: "caption"}, spec.caption))];
}
