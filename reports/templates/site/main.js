"use strict";
// From an address to a page: #/sweep/KEY, #/trial/KEY/SPLIT/TRIAL/OTHER, #/question/KEY/SPLIT/NUMBER/TRIAL/OTHER, ...

const PAGES = {"": home, sweep: sweepPage, matrix: matrixPage, trial: trialPage, question: questionPage};
let turn = 0;

function parts() {
  try {
    return location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  } catch {
    return ["unknown"];
  }
}

async function show() {
  if (location.hash && !location.hash.startsWith("#/")) return;  // a place within the page
  const [name, ...rest] = parts(), mine = ++turn, main = document.getElementById("main");
  let page;
  try {
    if (!Object.hasOwn(PAGES, name)) throw new Error("There is no such page.");
    page = await PAGES[name](...rest);
  } catch (error) {
    page = {title: "Not found", path: [], content: [el("p", {}, error.message), el("p", {}, link([], "All results"))]};
  }
  if (mine !== turn) return;
  document.title = `${page.title} – multi-hop results`;
  const path = [[[], "All results"], ...page.path];
  document.getElementById("path").replaceChildren(el("ol", {}, path.map(([place, text], step) =>
    el("li", {}, step === path.length - 1 && page.path.length ? el("span", {"aria-current": "page"}, text) : link(place, text)))));
  main.replaceChildren(el("h1", {}, page.heading ?? page.title), ...page.content.flat(Infinity).filter(node => node));
  document.body.dataset.page = name || "home";
  if (mine > 1) { main.focus({preventScroll: true}); scrollTo(0, 0); }
}

async function foot() {
  const [index, server] = await Promise.all([load("index"), load("server")]);
  document.getElementById("foot").replaceChildren(el("p", {}, `Written by harness ${index.version}. Every number is of the sweeps' own folders. `,
    server.mlflow ? [el("a", {href: server.mlflow}, "The same sweeps in MLflow"), "."] : null));
}

addEventListener("hashchange", show);
show();
foot().catch(error => document.getElementById("foot").replaceChildren(error.message));
