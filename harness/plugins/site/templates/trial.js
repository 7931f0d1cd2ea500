"use strict";
// A strategy against another: wins and losses by hops and type, and the questions themselves.

const OUTCOMES = {lost: "lost", won: "won", missed: "scored 0", both: "both find", neither: "neither finds", all: "all questions"};

async function trialPage(key, name, trial, given = "", outcome = "all") {
  const [sweep, split] = await Promise.all([load(`${key}/sweep`), openSplit(key, name)]);
  const row = split.place(trial), own = split.trials[row], first = split.trials.find(one => one.family === "single" && one.typed === sweep.reference && one.trial !== trial)
    ?? split.trials.find(one => one.trial !== trial) ?? own;
  const other = given || first.trial, rival = split.place(other), against = split.trials[rival];
  const counts = split.counts(row, rival), here = ["trial", key, name, trial];
  const go = (...rest) => { location.hash = address(...here, ...rest); };
  return {title: own.name, path: [[["sweep", key], sweep.title], [[...here], `${own.name}, ${name}`]], content: [
    el("p", {}, `${sweep.objective} ${showPercent(own.score)}% of ${split.n} questions of ${name}`, own.roles.length ? ` (${own.roles.join(", ")})` : "", ". ",
      sweep.splits.filter(each => each.name !== name).map(each => link(["trial", key, each.name, trial, other], `On ${each.name}`))),
    el("p", {}, "As a sweep of its own: ", el("code", {}, own.command)),
    el("section", {"aria-labelledby": "pair"}, el("h2", {id: "pair"}, "Against ", against.name),
      el("form", {class: "filters", submit: event => event.preventDefault()}, choice("Compare with", strategies(split).filter(([hash]) => hash !== trial), other, hash => go(hash, outcome))),
      el("p", {class: "lead"}, `It won ${plural(counts.won, "question")} and lost ${counts.lost}: exact ${sayP(mcnemar(counts.won, counts.lost))}. `,
        link(["trial", key, name, other, trial, outcome], "The other way round")),
      el("div", {class: "side"}, grouped(split, row, rival, split.hops, "hops"), grouped(split, row, rival, split.types, "type"))),
    el("section", {"aria-labelledby": "list"}, el("h2", {id: "list"}, "Questions"), await questionList(split, row, rival, outcome, go)),
  ]};
}

// Wins and losses by a column of the questions.
function grouped(split, row, other, values, title) {
  const levels = [...new Set(values)].filter(level => level !== null).sort((a, b) => typeof a === "number" ? a - b : a.localeCompare(b));
  if (levels.length < 2) return null;
  const rows = levels.map(level => {
    const mine = [...split.ids.keys()].filter(question => values[question] === level), found = {won: 0, lost: 0};
    for (const question of mine) found[split.outcome(row, other, question)]++;
    return [level, mine.length, found.won, found.lost, mcnemar(found.won, found.lost)];
  });
  return table({title: `By ${title}`, columns: [{title, kind: "text"}, ...["n", "W", "L"].map(each => ({title: each, kind: "count"})), {title: "p", kind: "p"}],
    rows: rows.map(([level, n, won, lost, p]) => [String(level), String(n), String(won), String(lost), showP(p)]), keys: rows});
}

async function questionList(split, row, rival, outcome, go) {
  const ranks = await split.ranks(), state = {words: "", hops: "", type: ""};
  const all = [...split.ids.keys()], outcomes = all.map(question => split.outcome(row, rival, question));
  const here = question => [split.trials[row].trial, split.trials[rival].trial, outcome];
  const said = one => question => ranks(one, question).map(showRank).join(", ");
  const spec = {title: "Questions", keys: all.map(question => [null, null, split.hops[question], null, ranks(row, question).at(-1) ?? null, ranks(rival, question).at(-1) ?? null]),
    columns: [{title: "question", kind: "text wrap"}, {title: "outcome", kind: "text"}, {title: "hops", kind: "count"}, {title: "type", kind: "text"},
      {title: "ranks of the gold passages", kind: "count"}, {title: `their ranks by the other`, kind: "count"}],
    rows: all.map(question => [split.text(question), OUTCOMES[outcomes[question]], String(split.hops[question] ?? "–"), split.types[question] ?? "–", said(row)(question), said(rival)(question)])};
  const found = all.map(question => `${split.ids[question]} ${split.text(question)}`.toLowerCase());
  const inside = kind => question => kind === "all" || (kind === "missed" ? split.missed(row, question) : outcomes[question] === kind);
  const keep = question => inside(outcome)(question)
    && (!state.hops || String(split.hops[question]) === state.hops) && (!state.type || split.types[question] === state.type)
    && state.words.toLowerCase().split(/\s+/).every(word => found[question].includes(word));
  const listed = table(spec, {keep, to: question => ["question", split.key, split.name, question, ...here(question)], named: 0, step: 50, count: true, empty: "No question is left by these filters."});
  const counted = kind => all.filter(inside(kind)).length;
  const options = values => [["", "all"], ...[...new Set(values)].filter(each => each !== null).sort().map(each => [String(each), String(each)])];
  const set = part => value => { state[part] = value; listed.redraw(); };
  return [split.why ? el("p", {class: "caption"}, split.why) : null,
    el("div", {class: "tabs", role: "group", "aria-label": "Outcome"}, Object.entries(OUTCOMES).map(([kind, text]) =>
      el("a", {href: address("trial", split.key, split.name, split.trials[row].trial, split.trials[rival].trial, kind), "aria-current": kind === outcome ? "true" : null}, `${text} ${counted(kind)}`))),
    el("form", {class: "filters", role: "search", "aria-label": "Filters of the questions", submit: event => event.preventDefault()},
      field("Search", "", set("words")), choice("Hops", options(split.hops), "", set("hops")), choice("Type", options(split.types), "", set("type"))),
    listed];
}
