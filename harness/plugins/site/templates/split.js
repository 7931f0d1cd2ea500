"use strict";
// The questions of a sweep on one split: what every strategy scored on each, and where it put each gold passage.

const splits = new Map();

async function openSplit(key, name) {
  const place = `${key}/${name}`;
  if (!splits.has(place)) splits.set(place, new Split(key, name, await load(place)));
  return splits.get(place);
}

class Split {
  constructor(key, name, content) {
    Object.assign(this, content, {key, name});
    this.n = this.ids.length;
    this.codes = numbers(this.scores);
  }

  place(trial) {
    const found = this.trials.findIndex(one => one.trial === trial);
    if (found < 0) throw new Error(`Strategy ${trial} is not on ${this.name}: only the locked ones are scored on test.`);
    return found;
  }

  code(row, question) { return this.codes[row * this.n + question]; }

  score(row, question) { return this.scores.levels[this.code(row, question)]; }

  // "won" where the first strategy scores higher than the other, "lost" where lower, else "both" or "neither".
  outcome(row, other, question) {
    const ours = this.code(row, question), theirs = this.code(other, question);
    return ours > theirs ? "won" : ours < theirs ? "lost" : this.scores.levels[ours] > 0 ? "both" : "neither";
  }

  // Whether a strategy scores nothing on a question.
  missed(row, question) { return this.score(row, question) <= 0; }

  counts(row, other) {
    if (this.scores.levels.length <= 2) return this.countBits(row, other);
    const ours = row * this.n, theirs = other * this.n;
    let won = 0, lost = 0;
    for (let question = 0; question < this.n; question++) {
      const one = this.codes[ours + question], two = this.codes[theirs + question];
      won += one > two;
      lost += one < two;
    }
    return {won, lost};
  }

  // The same where a score is one of two, 32 questions at a time: a matrix of 718 strategies has 257,403 pairs.
  countBits(row, other) {
    const words = Math.ceil(this.n / 32);
    if (!this.bits) {
      this.bits = new Uint32Array(words * this.trials.length);
      this.codes.forEach((code, place) => {
        const question = place % this.n;
        if (code) this.bits[(place - question) / this.n * words + (question >> 5)] |= 1 << (question & 31);
      });
    }
    let won = 0, lost = 0;
    for (let word = 0; word < words; word++) {
      const ours = this.bits[row * words + word], theirs = this.bits[other * words + word];
      won += ones(ours & ~theirs);
      lost += ones(theirs & ~ours);
    }
    return {won, lost};
  }

  async ranks() {
    if (!this.known) {
      const packed = await load(`${this.key}/${this.name}-ranks`), values = numbers(packed);
      this.known = (row, question) => Array.from({length: this.hopcount}, (_, hop) => values[(row * this.n + question) * this.hopcount + hop])
        .filter(rank => rank !== packed.none).map(rank => rank === packed.absent ? Infinity : rank);
    }
    return this.known;
  }

  // Gold passages, lists and trace of a question; null where the data were not at hand.
  async told(question) {
    if (!this.questions || this.why === null) return null;
    const part = await load(`${this.key}/${this.name}-${Math.floor(question / this.part)}`);
    return part[question % this.part];
  }

  async passage(number) {
    const part = await load(`${this.key}/passages-${Math.floor(number / this.passages)}`);
    const [id, title, text] = part[number % this.passages];
    return {id, title, text};
  }

  text(question) { return this.questions?.[question] || this.ids[question]; }
}

// How many bits of a number of 32 bits are set.
function ones(word) {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

// The strategies as options: the locked ones first.
function strategies(split) {
  const locked = split.trials.filter(one => one.roles.length), others = split.trials.filter(one => !one.roles.length);
  return [...locked, ...others].map(one => [one.trial, one.roles.length ? `${one.name} (${one.roles.join(", ")})` : one.name]);
}
