// Two models: topics matched side by side, and what moved.
function change_of(match) {
  const by = match.otherShare - match.share;
  return `${percent(match.share, 1)} → ${percent(match.otherShare, 1)} (${by >= 0 ? "+" : "−"}${percent(Math.abs(by), 1)})`;
}

function matchRow(match) {
  return make("tr", {}, make("td", {}, dot(match.topic), " ", given(topics[match.topic].name)),
    make("td", { class: "number" }, match.cosine.toFixed(2),
      make("div", { class: "meter", "aria-hidden": "true" }, painted(make("i"), { width: percent(match.cosine, 1), background: topics[match.topic].colour }))),
    make("td", {}, given(match.otherName)), make("td", { class: "number" }, change_of(match)),
    make("td", {}, make("ul", { class: "chips" }, match.gained.map((term) => make("li", { class: "plus" }, "+ ", given(term))),
      match.lost.map((term) => make("li", { class: "minus" }, "− ", given(term))))));
}

function only(names, where) {
  return names.length ? make("p", {}, `Only in ${where}: `, names.flatMap((name, i) => [i ? "; " : "", given(name)]), ".") : null;
}

function movedTable(found) {
  if (!found.sharedDocuments) return null;
  const head = `${whole(found.movedTotal)} of the ${plural(found.sharedDocuments, nouns.column)} in both changed their ${nouns.part}`;
  const more = found.movedTotal > found.moved.length ? ` (the first ${found.moved.length} are shown)` : "";
  return make("div", {}, make("h3", {}, `${head}${more}`),
    make("table", {}, make("thead", {}, make("tr", {}, [capital(nouns.column), "Was", "Is now"].map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, found.moved.map((one) => make("tr", {}, make("td", {}, given(one.title || one.id)),
        make("td", {}, one.topic === null ? "none" : given(topics[one.topic].name)), make("td", {}, one.to === null ? "none" : given(one.to)))))));
}

function buildCompare() {
  const found = page.compare;
  if (!found) return;
  const heads = [`${capital(nouns.part)} here`, "Cosine", "There", "Share", "Gained and lost"];
  section("compare", "Compare", "What moved",
    make("p", { class: "note" }, `Every ${nouns.part} of this model beside the one of `, given(found.other), ` that it became; `
      + `${whole(found.sharedTerms)} ${nouns.row}s are in both. A cosine of 1 is the same ${nouns.part}.`),
    make("div", { class: "card scroll", tabindex: "0", role: "region", "aria-label": "Matched side by side" },
      make("table", {}, make("thead", {}, make("tr", {}, heads.map((name) => make("th", { scope: "col" }, name)))),
        make("tbody", {}, found.matches.map(matchRow))),
      only(found.onlyFirst, "this one"), only(found.onlySecond, "the other")),
    found.sharedDocuments ? make("details", {}, make("summary", {}, `Documents that moved: ${whole(found.movedTotal)}`), movedTable(found)) : null);
}
