"use strict";
// From an address (#/name/part/part) to a page: pages is a mapping from a name to a function of the parts.

function parts() {
  try {
    return location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  } catch {
    return ["unknown"];
  }
}

// first: what the path begins with; title: of every page.
function route(pages, first, title) {
  let turn = 0;
  async function show() {
    if (location.hash && !location.hash.startsWith("#/")) return;  // a place within the page
    const [name, ...rest] = parts(), mine = ++turn, main = document.getElementById("main");
    let page;
    try {
      if (!Object.hasOwn(pages, name)) throw new Error("There is no such page.");
      page = await pages[name](...rest);
    } catch (error) {
      page = {title: "Not found", path: [], content: [el("p", {}, error.message), el("p", {}, link([], first))]};
    }
    if (mine !== turn) return;
    document.title = `${page.title} – ${title}`;
    const path = [[[], first], ...page.path];
    document.getElementById("path").replaceChildren(el("ol", {}, path.map(([place, text], step) =>
      el("li", {}, step === path.length - 1 && page.path.length ? el("span", {"aria-current": "page"}, text) : link(place, text)))));
    main.replaceChildren(el("h1", {}, page.heading ?? page.title), ...page.content.flat(Infinity).filter(node => node));
    document.body.dataset.page = name || "home";
    if (mine > 1) { main.focus({preventScroll: true}); scrollTo(0, 0); }
  }
  addEventListener("hashchange", show);
  show();
}
