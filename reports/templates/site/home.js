"use strict";
// The first page: which questions did the winners lose, the leaderboard of all sweeps, and what cannot be read.

async function home() {
  const index = await load("index");
  const state = {benchmark: "", split: "", family: "", settings: "", seconds: "", newest: true};
  const newest = index.sweeps.filter(one => !one.newer);
  return {title: "Results", path: [], heading: "Multi-hop retrieval: results", content: [
    el("p", {class: "lead"}, "A strategy retrieves passages for a question whose answer needs several of them, the gold passages, one after the other (hops). " +
      "It wins a question against another strategy where it scores higher, and loses it where it scores lower."),
    index.sweeps.length ? null : el("p", {}, "No sweep can be read yet; run `harness sweep`, then `harness report`."),
    newest.length ? el("section", {"aria-labelledby": "winners"}, el("h2", {id: "winners"}, "What won, and which questions it lost"),
      el("div", {class: "cards"}, newest.map(card)), index.findings.map(line => el("p", {}, line))) : null,
    index.leaderboard.rows.length ? el("section", {"aria-labelledby": "board"}, el("h2", {id: "board"}, "Leaderboard of all sweeps"), board(index, state)) : null,
    index.unread.length ? el("section", {"aria-labelledby": "unread"}, el("h2", {id: "unread"}, `${plural(index.unread.length, "folder")} that cannot be shown`),
      table({title: "Folders that cannot be shown", columns: [{title: "folder", kind: "text"}, {title: "reason", kind: "text wrap"}], rows: index.unread, keys: []})) : null,
    fold("Words on these pages", glossary),
  ]};
}

function card(sweep) {
  return el("article", {class: "card"}, el("h3", {}, link(["sweep", sweep.key], sweep.title)),
    sweep.words.map(words => el("p", {}, words)),
    el("p", {}, link(["trial", sweep.key, sweep.split, sweep.winner.trial], sweep.winner.name), " scored 0 on ",
      counted(["trial", sweep.key, sweep.split, sweep.winner.trial, sweep.against[0]?.trial ?? "", "missed"], sweep.missed, plural(sweep.missed, "question")), "."),
    el("ul", {class: "counts"}, sweep.against.map(other => {
      const place = ["trial", sweep.key, sweep.split, sweep.winner.trial, other.trial];
      return el("li", {}, `Against ${other.name} it `,
        counted([...place, "lost"], other.losses, `lost ${plural(other.losses, "question")}`), " and ",
        counted([...place, "won"], other.wins, `won ${plural(other.wins, "question")}`), ` (${sayP(other.p, other.by)}).`);
    })),
    chart(sweep.chart, trial => address("trial", sweep.key, sweep.split, trial)));
}

function board(index, state) {
  const spec = index.leaderboard, places = spec.places;
  const column = name => spec.columns.findIndex(one => one.title === name);
  const different = values => [...new Set(values)].sort();
  const shown = {benchmark: column("benchmark"), split: column("split"), settings: column("settings")};
  const seconds = column("seconds"), folded = new Set(places.map(place => place[4])).has(true);
  const keep = row => Object.entries(shown).every(([name, at]) => !state[name] || spec.rows[row][at] === state[name])
    && (!state.family || places[row][3] === state.family) && !(state.newest && places[row][4])
    && (!state.seconds || (spec.keys[row][seconds] !== null && spec.keys[row][seconds] <= Number(state.seconds)));
  const listed = table(spec, {keep, to: row => ["trial", places[row][0], places[row][1], places[row][2]], count: true, step: 50, empty: "No strategy is left by these filters."});
  const set = name => value => { state[name] = value; listed.redraw(); };
  const any = values => [["", "all"], ...values.map(value => [value, value])];
  const costs = [["", "any"], ["10", "at most 10 s"], ["60", "at most 1 min"], ["600", "at most 10 min"], ["3600", "at most 1 h"]];
  return [el("p", {class: "caption"}, `The strategies that each sweep locked, by ${index.metrics.join(", ")}. ` + "W and L: questions won and lost against the sweep's reference list, p: raw, exact McNemar by question, Holm p: corrected over the trials of the sweep and split, by cluster where questions share gold passages. " +
    "On tune the winner was chosen by these same questions; test was scored once, afterwards. Bold: the winner of each sweep. Settings: fixed before these data, chosen on tune, or fitted: the strategy's own on tune, or the weights of its lists on some benchmarks' tune. Seconds: what the lists it reads took when they were made."),
    el("form", {class: "filters", role: "search", "aria-label": "Filters of the leaderboard", submit: event => event.preventDefault()},
      choice("Benchmark", any(different(spec.rows.map(row => row[shown.benchmark]))), "", set("benchmark")),
      choice("Split", any(different(spec.rows.map(row => row[shown.split]))), "", set("split")),
      choice("Family", [["", "all"], ...Object.entries(index.families)], "", set("family")),
      choice("Settings", any(different(spec.rows.map(row => row[shown.settings]))), "", set("settings")),
      choice("Cost", costs, "", set("seconds")),
      folded ? el("label", {}, el("input", {type: "checkbox", change: event => set("newest")(!event.target.checked)}), " earlier sweeps of the same title, too") : null),
    listed];
}

function glossary() {
  const words = {
    "sweep": "many configurations (trials) of fusing the same lists, scored on one benchmark",
    "tune, test": "the two halves of a benchmark's questions: strategies are chosen on tune; test is scored once, by the locked ones",
    "locked": "written down on tune before test was touched: the winner, the best trial of each fuser, and the baselines",
    "family": "the fuser, or one single list alone",
    "reference": "the list that wins and losses are counted against, mostly dense",
    "LastHop@5": "the last gold passage in hop order is among the first 5",
    "FullSup@5": "all gold passages are among the first 5",
    "Recall@5": "the share of gold passages among the first 5",
    "absent": "a gold passage that the fused list does not hold at all",
  };
  return el("dl", {}, Object.entries(words).map(([word, meaning]) => [el("dt", {}, word), el("dd", {}, meaning)]));
}
