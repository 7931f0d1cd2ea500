"use strict";
// A board: leaderboards (#/), a system against another (#/system/A/B), a question (#/question/ID/A/B), all pairs (#/pairs).
// The file of a benchmark has all of it (detail), the first page the leaderboards of every benchmark.

const CONTENT = JSON.parse(document.getElementById("data").textContent);
const DETAIL = CONTENT.detail, HERE = DETAIL ? CONTENT.boards[0] : null;
const CODES = DETAIL ? numbers(DETAIL.scores) : null, RANKS = DETAIL ? numbers(DETAIL.ranks) : null;
const there = (board, ...place) => DETAIL ? place : board.file + address(...place);
const nameOf = row => HERE.facts[row].card[0][1];
const titleOf = row => HERE.facts[row].title;
const scoreOf = (row, question) => DETAIL.scores.levels[CODES[row * HERE.n + question]];

function ranksOf(row, question) {
  return Array.from({length: DETAIL.hops}, (_, hop) => RANKS[(row * HERE.n + question) * DETAIL.hops + hop])
    .filter(rank => rank !== DETAIL.ranks.none).map(rank => rank === DETAIL.ranks.absent ? Infinity : rank);
}

function rowOf(name) {
  const row = HERE.facts.findIndex((_, place) => nameOf(place) === name);
  if (row < 0) throw new Error(`There is no submission ${name}.`);
  return row;
}

function home() {
  const refused = CONTENT.refused, notes = CONTENT.boards.flatMap(board => board.facts.flatMap(one => one.notes.map(text => [one.title, text])));
  return {title: DETAIL ? HERE.name : "Run exchange", path: [], content: [
    el("p", {class: "lead"}, "Each system is scored again from its ranked lists, by passage id. What a card says (encoder, models, data it was fitted on) is its makers' word."),
    DETAIL ? el("p", {}, el("a", {href: "index.html"}, "All benchmarks"), ", ", link(["pairs"], `wins and losses of all ${plural(HERE.pairs, "pair")}`)) : null,
    CONTENT.boards.length ? null : el("p", {}, "No submission can be shown yet."),
    CONTENT.boards.map((board, place) => el("section", {"aria-labelledby": `board${place}`}, el("h2", {id: `board${place}`}, DETAIL ? "Leaderboard" : board.name), leaderboard(board))),
    DETAIL ? el("section", {"aria-labelledby": "groups"}, el("h2", {id: "groups"}, "By hops and types"), groupTable()) : null,
    publishedTable(),
    notes.length ? el("section", {"aria-labelledby": "notes"}, el("h2", {id: "notes"}, "What to know of their lists"),
      table({title: "Notes", columns: [{title: "system", kind: "text"}, {title: "note", kind: "text wrap"}], rows: notes, keys: []})) : null,
    refused.length ? el("section", {"aria-labelledby": "refused"}, el("h2", {id: "refused"}, `${plural(refused.length, "submission")} refused`),
      table({title: "Refused submissions", columns: [{title: "submission", kind: "text"}, {title: "reason", kind: "text wrap"}], rows: refused, keys: []})) : null,
  ]};
}

function leaderboard(board) {
  const state = {models: "", encoder: "", own: ""}, facts = board.facts;
  const keep = row => (!state.models || facts[row].models === (state.models === "some")) && (!state.own || facts[row].own === (state.own === "yes"))
    && (!state.encoder || facts[row].encoder === state.encoder);
  const listed = table(board.table, {keep, to: row => there(board, "system", facts[row].card[0][1]), count: true, empty: "No system is left by these filters."});
  const set = name => value => { state[name] = value; listed.redraw(); };
  const encoders = [...new Set(facts.map(one => one.encoder))].sort();
  return [el("p", {class: "caption"}, `${board.metric} on ${plural(board.n, "question")} of ${board.split}, in ${plural(board.clusters, "cluster")} of shared gold passages, by which intervals and p are. ` +
      `Two systems are shown to differ where p is at most .05 after Holm's correction over all ${plural(board.pairs, "pair")}; a system's page says from which.${board.sample}${board.split === "all" ? "" : " Tune and test go by the MD5 of a question's id."}${board.split === "tune" || !facts.some(one => one.own) ? "" : " tune %: where fitted on it says yes, a system may have learned from these very questions."} Data: ${board.sha256.slice(0, 12)}.`),
    el("form", {class: "filters", role: "search", "aria-label": `Filters of ${board.name}`, submit: event => event.preventDefault()},
      choice("Language models", [["", "any"], ["none", "none"], ["some", "some"]], "", set("models")),
      choice("Encoder", [["", "any"], ...encoders.map(name => [name, name])], "", set("encoder")),
      choice("Fitted on this benchmark", [["", "any"], ["yes", "yes"], ["no", "no"]], "", set("own"))),
    listed];
}

function publishedTable() {
  const rows = CONTENT.published, columns = ["system", "benchmark", "metric", "% as printed", "of which sample", "source"].map((title, place) => ({title, kind: place > 3 ? "text wrap" : "text"}));
  return rows.length ? el("section", {"aria-labelledby": "published"}, el("h2", {id: "published"}, "Published figures: claims"),
    el("p", {class: "caption"}, "Printed by others and not computed here: no lists were seen, so none of these is compared with a scored row."),
    table({title: "Published figures", columns, rows, keys: []})) : null;
}

function groupTable() {
  const groups = DETAIL.groups;
  const columns = [{title: "system", kind: "text"}, ...groups.map(group => ({title: `${group.name} (n ${group.n})`, kind: "share"}))];
  const rows = HERE.facts.map((one, row) => [one.title, ...groups.map(group => group.scores[row])]);
  const keys = rows.map(cells => cells.map((cell, place) => place ? Number(cell) : null));
  return [el("p", {class: "caption"}, `${HERE.metric} in percent.`), table({title: "By hops and types", columns, rows, keys}, {to: row => ["system", nameOf(row)]})];
}

// A pair as it looks from its first or its second system.
function seen(pair, row) {
  const [first, second, wins, losses, points, low, high, p, holm] = pair, turned = row !== first, sign = turned ? -1 : 1;
  const ends = low === null ? null : turned ? [-high, -low] : [low, high];
  return {other: turned ? first : second, wins: turned ? losses : wins, losses: turned ? wins : losses, points: sign * points, ends, p, holm};
}
const showPoints = value => (value > 0 ? "+" : "") + value.toFixed(1);
const showEnds = ends => ends ? `${showPoints(ends[0])} to ${showPoints(ends[1])}` : "–";
const PAIR = [["W", "count"], ["L", "count"], ["points", "points"], ["95% interval", "span"], ["p", "p"], ["Holm p", "p"]].map(([title, kind]) => ({title, kind}));
const pairCells = one => [String(one.wins), String(one.losses), showPoints(one.points), showEnds(one.ends), showP(one.p), showP(one.holm)];
const pairKeys = one => [one.wins, one.losses, one.points, one.ends ? one.ends[0] : null, one.p, one.holm];
const PAIR_WORDS = "W, L: questions won and lost. Interval and p are by cluster of shared gold passages; Holm p is corrected over all pairs of the benchmark.";

function systemPage(name, rival = "") {
  const row = rowOf(name), facts = HERE.facts[row];
  const others = DETAIL.pairs.filter(pair => pair[0] === row || pair[1] === row).map(pair => seen(pair, row)).sort((a, b) => a.other - b.other);
  const other = rival ? rowOf(rival) : others.length ? others[0].other : null, pair = others.find(one => one.other === other);
  const alike = DETAIL.different[row].length, cells = others.map(one => [titleOf(one.other), ...pairCells(one)]);
  return {title: facts.title, path: [[["system", name], facts.title]], content: [
    facts.notes.map(text => el("p", {class: "lost"}, `Note: ${text}.`)),
    pair ? el("section", {"aria-labelledby": "differ"}, el("h2", {id: "differ"}, `Where it and ${titleOf(other)} differ`),
      el("form", {class: "filters", submit: event => event.preventDefault()}, choice("Against", others.map(one => [nameOf(one.other), titleOf(one.other)]), nameOf(other),
        chosen => { location.hash = address("system", name, chosen); })),
      el("p", {}, `It wins ${plural(pair.wins, "question")} and loses ${pair.losses}: ${showPoints(pair.points)} points (95% by cluster ${showEnds(pair.ends)}), p ${showP(pair.p)}, Holm p ${showP(pair.holm)}.`),
      questionTable(row, other)) : null,
    others.length ? el("section", {"aria-labelledby": "others"}, el("h2", {id: "others"}, "Against every other system"),
      el("p", {class: "caption"}, `${PAIR_WORDS} It is shown to differ from ${alike} of ${others.length}.`),
      table({title: "Against every other system", columns: [{title: "other", kind: "text"}, ...PAIR], rows: cells, keys: others.map(one => [null, ...pairKeys(one)])},
        {to: at => ["system", name, nameOf(others[at].other)]})) : null,
    el("section", {"aria-labelledby": "card"}, el("h2", {id: "card"}, "What its card says"), el("dl", {}, facts.card.map(([key, text]) => [el("dt", {}, key), el("dd", {}, text)]))),
  ]};
}

function questionTable(row, other) {
  const differing = DETAIL.ids.map((_, question) => question).filter(question => scoreOf(row, question) !== scoreOf(other, question));
  const said = question => scoreOf(row, question) > scoreOf(other, question) ? "won" : "lost";
  const rows = differing.map(question => [DETAIL.questions[question], said(question), ranksOf(row, question).map(showRank).join(", "), ranksOf(other, question).map(showRank).join(", ")]);
  const columns = [{title: "question", kind: "text wrap"}, {title: "outcome", kind: "text"}, {title: "its gold ranks", kind: "text"}, {title: `those of ${titleOf(other)}`, kind: "text"}];
  return table({title: "Questions where the two differ", columns, rows, keys: []},
    {named: 0, to: at => ["question", DETAIL.ids[differing[at]], nameOf(row), nameOf(other)], count: true, empty: "They differ on no question."});
}

function questionPage(id, name, rival) {
  const question = DETAIL.ids.indexOf(id), row = rowOf(name), other = rowOf(rival);
  if (question < 0) throw new Error(`There is no question ${id}.`);
  const gold = DETAIL.gold[question].map(place => DETAIL.passages[place]);
  const ranks = HERE.facts.map((_, each) => ranksOf(each, question));
  const columns = [{title: "system", kind: "text"}, {title: HERE.metric, kind: "share"}, ...gold.map((passage, hop) => ({title: `${hop + 1}. ${passage[1] || passage[0]}`, kind: "count"}))];
  const rows = HERE.facts.map((one, each) => [one.title, showPercent(scoreOf(each, question)), ...ranks[each].map(showRank)]);
  const keys = ranks.map((own, each) => [null, scoreOf(each, question), ...own]);
  return {title: DETAIL.questions[question] || id, path: [[["system", name, rival], `${titleOf(row)} against ${titleOf(other)}`], [["question", id, name, rival], "Question"]], content: [
    el("p", {class: "caption"}, `${HERE.name} ${HERE.split} question ${id}`),
    el("section", {"aria-labelledby": "gold"}, el("h2", {id: "gold"}, "Supporting passages"), el("ol", {class: "gold"}, gold.map(([doc, title]) => el("li", {}, title, " ", el("code", {}, doc))))),
    el("section", {"aria-labelledby": "ranks"}, el("h2", {id: "ranks"}, "Where each system ranks them"),
      table({title: "Gold ranks by system", columns, rows, keys, marked: [row, other]}, {to: each => ["system", nameOf(each), nameOf(each === row ? other : row)]})),
  ]};
}

function pairsPage() {
  const seenPairs = DETAIL.pairs.map(pair => [pair[0], seen(pair, pair[0])]);
  const rows = seenPairs.map(([row, one]) => [titleOf(row), titleOf(one.other), ...pairCells(one)]);
  return {title: "Wins and losses of every pair", path: [[["pairs"], "All pairs"]], content: [
    el("p", {class: "caption"}, PAIR_WORDS),
    table({title: "Wins and losses of every pair", columns: [{title: "system", kind: "text"}, {title: "other", kind: "text"}, ...PAIR], rows, keys: seenPairs.map(([, one]) => [null, null, ...pairKeys(one)])},
      {to: at => ["system", nameOf(seenPairs[at][0]), nameOf(seenPairs[at][1].other)]})]};
}

route(DETAIL ? {"": home, system: systemPage, question: questionPage, pairs: pairsPage} : {"": home}, DETAIL ? HERE.name : "Run exchange", "run exchange");
document.getElementById("foot").replaceChildren(el("p", {}, `Written by harness ${CONTENT.version} from the submissions' lists.`));
