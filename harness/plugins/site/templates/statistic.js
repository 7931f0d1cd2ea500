"use strict";
// What has to be computed here because any two strategies may be compared; all else is computed before.

const knownP = new Map();

// Exact two-sided McNemar: min(1, 2 P[X <= min(W, L)]), X ~ Binomial(W + L, 1/2).
function mcnemar(wins, losses) {
  const n = wins + losses, k = Math.min(wins, losses);
  if (n === 0 || wins === losses) return 1;
  const key = n * 65536 + k;
  if (!knownP.has(key)) {
    let logarithm = -n * Math.LN2, sum = 1, term = 1;
    for (let i = 1; i <= k; i++) logarithm += Math.log((n - k + i) / i);
    for (let i = k; i > 0; i--) { term *= i / (n - i + 1); sum += term; }
    knownP.set(key, Math.min(1, 2 * Math.exp(logarithm) * sum));
  }
  return knownP.get(key);
}

// Holm's step-down p values of an array of p values.
function holm(ps) {
  const order = ps.map((_, place) => place).sort((a, b) => ps[a] - ps[b]), adjusted = new Array(ps.length);
  let least = 0;
  order.forEach((place, number) => { adjusted[place] = least = Math.max(least, Math.min(1, ps[place] * (ps.length - number))); });
  return adjusted;
}

function showP(p) {
  if (p < 0.001) return "<.001";
  for (let decimals = 3; decimals <= 6; decimals++) {
    const text = p.toFixed(decimals);
    if ((Number(text) <= 0.05) === (p <= 0.05) || decimals === 6) return text.startsWith("1") ? text : text.slice(1);
  }
}
const showPercent = share => (100 * share).toFixed(1);
const showRank = rank => rank === null ? "–" : rank === Infinity ? "absent" : String(rank);
// by: what its test counts; null stands for too few clusters of questions that share gold passages.
const sayP = (p, by = "by question") => p === null ? "too few clusters for a p" : `raw p ${by}\u00a0${p < 0.001 ? "<\u00a0.001" : `=\u00a0${showP(p)}`}`;
