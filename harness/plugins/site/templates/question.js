"use strict";
// A question: its gold passages, where every strategy put them, what the lists hold first, and why.

const SHORT = 600;  // letters of a passage that is shown unfolded

async function questionPage(key, name, number, trial = "", other = "", outcome = "all") {
  const [sweep, split] = await Promise.all([load(`${key}/sweep`), openSplit(key, name)]);
  const question = Number(number);
  if (!Number.isInteger(question) || question < 0 || question >= split.n) throw new Error(`${name} has no question ${number}.`);
  const own = trial || sweep.winner, row = split.place(own), rival = other ? split.place(other) : null;
  const [ranks, told] = await Promise.all([split.ranks(), split.told(question)]);
  const gold = told ? await Promise.all(told.gold.map(place => split.passage(place))) : [];
  const facts = [`${name} question ${split.ids[question]}`, split.hops[question] === null ? null : plural(split.hops[question], "hop"), split.types[question] ? `type ${split.types[question]}` : null];
  const path = [[["sweep", key], sweep.title], [["trial", key, name, own, ...(other ? [other, outcome] : [])], split.trials[row].name], [["question", key, name, number], "Question"]];
  return {title: split.text(question), path, content: [
    el("p", {class: "caption"}, facts.filter(Boolean).join(", ")),
    told?.answers.length ? el("p", {}, `Answer: ${told.answers.join(" | ")}`) : null,
    rival === null ? null : verdict(split, row, rival, question, ranks),
    neighbours(split, row, rival, question, outcome),
    el("section", {"aria-labelledby": "gold"}, el("h2", {id: "gold"}, "Gold passages"),
      told ? el("ol", {class: "gold"}, gold.map((passage, hop) => el("li", {}, el("details", {open: passage.text.length < SHORT},
        el("summary", {}, passage.title || passage.id, hop === gold.length - 1 ? el("span", {class: "tag"}, "last hop") : null), el("p", {}, passage.text))))) : null,
      split.why ? el("p", {class: "caption"}, split.why) : null),
    el("section", {"aria-labelledby": "ranks"}, el("h2", {id: "ranks"}, "Where each strategy ranks them"), ranking(split, question, ranks, gold, own, other)),
    told?.lists ? el("section", {"aria-labelledby": "first"}, el("h2", {id: "first"}, "What each list puts first"), await firsts(split, told)) : null,
    told ? el("section", {"aria-labelledby": "trace"}, el("h2", {id: "trace"}, "How the graph got there"), tracePart(split, sweep, question, told)) : null,
  ]};
}

function verdict(split, row, other, question, ranks) {
  const found = split.outcome(row, other, question), names = [row, other].map(each => split.trials[each].name);
  const words = {won: `${names[0]} wins this question against ${names[1]}.`, lost: `${names[0]} loses this question to ${names[1]}.`,
    both: `${names[0]} and ${names[1]} both find it.`, neither: `Neither ${names[0]} nor ${names[1]} finds it.`};
  const places = [row, other].map((each, at) => `${names[at]} has the gold passages at ${ranks(each, question).map(showRank).join(", ")}`);
  return el("p", {class: `lead ${found}`}, `${words[found]} ${places.join("; ")}.`);
}

// Links to the question before and after it in the list that the reader comes from.
function neighbours(split, row, other, question, outcome) {
  const listed = [...split.ids.keys()].filter(each => other === null || outcome === "all" || (outcome === "missed" ? split.missed(row, each) : split.outcome(row, other, each) === outcome));
  const at = listed.indexOf(question), rest = other === null ? [] : [split.trials[row].trial, split.trials[other].trial, outcome];
  const step = (to, text, rel) => listed[to] === undefined ? null : el("a", {href: address("question", split.key, split.name, listed[to], ...rest), rel}, text);
  return at < 0 ? null : el("nav", {class: "neighbours", "aria-label": "Questions of this list"}, step(at - 1, "← previous", "prev"),
    el("span", {}, `${at + 1} of ${listed.length}${other === null || outcome === "all" ? "" : ` (${OUTCOMES[outcome]})`}`), step(at + 1, "next →", "next"));
}

function ranking(split, question, ranks, gold, own, other) {
  const locked = one => one.roles.length || one.trial === own || one.trial === other;
  const hops = Math.max(...split.trials.slice(0, 1).map((_, row) => ranks(row, question).length), 0);
  const titles = Array.from({length: hops}, (_, hop) => `hop ${hop + 1}${gold[hop]?.title ? `: ${gold[hop].title}` : ""}`);
  const spec = rows => ({title: "Ranks of the gold passages", columns: [{title: "strategy", kind: "text"}, {title: "score", kind: "value"}, ...titles.map(title => ({title, kind: "count hop"}))],
    rows: rows.map(row => [split.trials[row].name, String(Number(split.score(row, question).toFixed(3))), ...ranks(row, question).map(showRank)]),
    keys: rows.map(row => [null, split.score(row, question), ...ranks(row, question)]),
    marked: rows.flatMap((row, at) => [own, other].includes(split.trials[row].trial) ? [at] : [])});
  const all = [...split.trials.keys()], some = all.filter(row => locked(split.trials[row]));
  const shown = rows => table(spec(rows), {to: at => ["trial", split.key, split.name, split.trials[rows[at]].trial]});
  return [shown(some), all.length > some.length ? fold(`All ${all.length} strategies`, () => shown(all)) : null];
}

async function firsts(split, told) {
  const item = async place => {
    const passage = await split.passage(place);
    return el("li", {class: told.gold.includes(place) ? "hit" : null}, el("details", {}, el("summary", {}, passage.title || passage.id, told.gold.includes(place) ? el("span", {class: "tag"}, `gold ${told.gold.indexOf(place) + 1}`) : null), el("p", {}, passage.text)));
  };
  const lists = await Promise.all(told.lists.map(async ([name, places]) => el("div", {}, el("h3", {}, name), el("ol", {}, await Promise.all(places.map(item))))));
  return el("div", {class: "lists"}, lists);
}
