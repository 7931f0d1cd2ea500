"use strict";
// The pages: #/sweep/KEY, #/trial/KEY/SPLIT/TRIAL/OTHER, #/question/KEY/SPLIT/NUMBER/TRIAL/OTHER, ...

const PAGES = {"": home, sweep: sweepPage, matrix: matrixPage, trial: trialPage, question: questionPage};

async function foot() {
  const index = await load("index");
  document.getElementById("foot").replaceChildren(el("p", {}, `Written by harness ${index.version}. Every number is of the sweeps' own folders.`));
}

route(PAGES, "All results", "multi-hop results");
foot().catch(error => document.getElementById("foot").replaceChildren(error.message));
