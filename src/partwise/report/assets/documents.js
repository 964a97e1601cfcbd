// Documents: a table with mixtures, filters, and a search that never leaves the page.
const PAGE = 20;
const state = { query: "", like: -1, topic: -1, title: "", id: "", page: 0, blend: page.search ? page.search.blend : 1 };
const titleOf = (i) => (page.documents.titles ? page.documents.titles[i] : "");
const folded = (text) => text.normalize("NFC").toLowerCase();

// The documents found, why each was, and what is said above them; found is null where nothing is asked.
function ranked() {
  if (state.like >= 0) return { ...answered(columnAt(state.like), rowOf(state.like), state.like), say: null };
  if (!page.search || !state.query.trim()) return { found: null, reason: null, say: "" };
  const column = columnOf(state.query), unknown = unknownWords(state.query).slice(0, 12).map(withNearest);
  const missing = unknown.length ? `Not in the vocabulary: ${unknown.join(", ")}. ` : "";
  if (!column.length) return { found: [], reason: null, say: `${missing}No word of the query is a term of this model; try others.` };
  const row = foldIn(column);
  return { ...answered(column, row), say: missing + asked(row) };
}

function answered(column, row, without = -1) {
  return { found: nearest(column, row, state.blend, without), reason: (i) => why(i, column, row) };
}

function withNearest(word) {
  const near = nearestWords(word);
  return near.length ? `${word} (did you mean ${near.join(" or ")}?)` : word;
}

function asked(row) {
  const parts = Array.from(row, (value, c) => value * scale[c]), total = parts.reduce((a, b) => a + b, 0);
  if (!(total > 0)) return "The words of the query are in no topic.";
  const order = parts.map((value, c) => [value / total, c]).filter(([value]) => value >= 0.05).sort((a, b) => b[0] - a[0]);
  return `What was asked is ${order.slice(0, 3).map(([value, c]) => `${percent(value)} ${topics[c].name}`).join("; ")}.`;
}

function filtered(rows) {
  const title = folded(state.title), id = folded(state.id);
  return rows.filter(([i]) =>
    (state.topic < 0 || strongest[i] === state.topic)
    && (!title || folded(titleOf(i)).includes(title))
    && (!id || folded(page.documents.ids[i]).includes(id)));
}

function listed() {
  const { found, reason, say } = ranked();
  let rows = found || Array.from({ length: count }, (_, i) => [i, null]);
  rows = filtered(rows);
  if (!found && state.topic >= 0) rows.sort((a, b) => degree[b[0]] - degree[a[0]] || a[0] - b[0]);
  return { rows, reason, say, scored: found !== null };
}

const someOf = (ids, most = 5) => ids.slice(0, most).join(", ") + (ids.length > most ? ` and ${whole(ids.length - most)} more` : "");

// A line that says why a document was found.
function reasonLine({ terms, topic, copies }) {
  const held = terms.length ? `Has ${terms.join(", ")}` : "Has no word of the query";
  return make("div", { class: "small why", dir: "auto" }, held,
    topic < 0 ? null : ["; by ", dot(topic), " ", given(topics[topic].name)],
    copies.length ? `; ${copies.length === 1 ? "an exact copy is" : `${whole(copies.length)} exact copies are`} ${someOf(copies)}` : null);
}

function documentRow([i, score], place, reason) {
  const title = titleOf(i), id = page.documents.ids[i], topic = strongest[i];
  const words = page.documents.snippets ? page.documents.snippets[i] : "";
  const label = page.documents.labels ? page.documents.labels[i] : "";
  return make("tr", { "data-id": id },
    make("td", { class: "number" }, score === null ? whole(place + 1) : score.toFixed(3)),
    make("td", {}, make("div", {}, make("strong", {}, given(title || id))),
      title && title !== id ? make("div", { class: "id" }, given(id)) : null,
      words ? make("div", { class: "words", dir: "auto" }, words) : null,
      reason ? reasonLine(reason(i)) : null,
      make("button", { type: "button", class: "plainbutton small", onclick: () => showLike(i), "aria-label": `Documents like ${title || id}` }, "More like this")),
    make("td", {}, mixtureBar(mixtureOf(i)),
      topic < 0 ? make("span", { class: "small" }, `no ${nouns.part}`)
        : make("span", { class: "small" }, dot(topic), " ", given(topics[topic].name), ` ${percent(degree[i])}`)),
    page.documents.labels ? make("td", { class: "small label", title: label }, given(label)) : null);
}

function showDocuments() {
  const { rows, reason, say, scored } = listed();
  const pages = Math.max(1, Math.ceil(rows.length / PAGE));
  state.page = Math.min(state.page, pages - 1);
  const first = state.page * PAGE, shown = rows.slice(first, first + PAGE);
  document.getElementById("document-rows").replaceChildren(...shown.map((row, n) => documentRow(row, first + n, reason)));
  document.getElementById("first-head").textContent = scored ? "Score" : "#";
  const like = state.like >= 0 ? `Most like “${titleOf(state.like) || page.documents.ids[state.like]}”.` : say;
  document.getElementById("answer").textContent = like || "";
  document.getElementById("document-count").textContent = rows.length
    ? `${whole(first + 1)} to ${whole(first + shown.length)} of ${plural(rows.length, nouns.column)}` : `No ${nouns.column} fits.`;
  document.getElementById("previous").disabled = state.page === 0;
  document.getElementById("next").disabled = state.page >= pages - 1;
}

function change(values) {
  Object.assign(state, { page: 0 }, values);
  showDocuments();
}

function toDocuments() {
  document.getElementById("documents").scrollIntoView();
}

function searchFor(text) {
  document.getElementById("search").value = text;
  change({ query: text, like: -1 });
  toDocuments();
}

function showLike(i) {
  document.getElementById("search").value = "";
  change({ query: "", like: i });
  toDocuments();
}

function showTopic(topic) {
  document.getElementById("filter-topic").value = topic;
  document.getElementById("search").value = "";
  change({ topic, query: "", like: -1 });
  toDocuments();
}

function reset() {
  for (const field of document.querySelectorAll("#documents input:not([type=range])")) field.value = "";
  document.getElementById("filter-topic").value = -1;
  change({ query: "", like: -1, topic: -1, title: "", id: "" });
}

function filters() {
  const text = (id, name, key) => make("label", {}, name,
    make("input", { type: "text", id, autocomplete: "off", oninput: (event) => change({ [key]: event.target.value }) }));
  return make("div", { class: "filters" },
    make("label", {}, capital(nouns.part),
      make("select", { id: "filter-topic", onchange: (event) => change({ topic: Number(event.target.value) }) },
        make("option", { value: -1 }, `every ${nouns.part}`),
        topics.map((topic, c) => make("option", { value: c }, `${c}: ${topic.name}`)))),
    page.documents.titles ? text("filter-title", "Title contains", "title") : null,
    text("filter-id", page.search ? "Id contains" : "Name contains", "id"));
}

function blendControl() {
  return make("div", { class: "slider" }, make("span", {}, "words"),
    make("input", { type: "range", id: "blend", min: 0, max: 1, step: "any", value: state.blend, "aria-label": "Share of topics in a search",
      oninput: (event) => change({ blend: Number(event.target.value) }) }), make("span", {}, "topics"));
}

function buildDocuments() {
  const name = `${capital(nouns.column)}s`, total = page.documents.total;
  const sample = total > count
    ? `${whole(count)} of the ${plural(total, nouns.column)} are on this page, drawn at random; \`partwise search\` looks through all. ` : "";
  const meaning = page.search
    ? "Search by words and meaning: documents that use your words come first, those about the same topics are near, whether they use your words or not. "
    : `Each ${nouns.column} as a mixture of the ${nouns.part}s. `;
  const cut = page.documents.words && !page.documents.words.whole
    ? "This page holds the strongest words of each document, so the order may differ a little from `partwise search`. " : "";
  const search = make("input", {
    type: "search", id: "search", placeholder: page.search ? "Search" : "", "aria-label": "Search",
    autocomplete: "off", spellcheck: "false", oninput: (event) => change({ query: event.target.value, like: -1 }),
  });
  const turn = (by) => () => { state.page += by; showDocuments(); };
  section("documents", name, name,
    make("p", { class: "note" }, meaning, sample, cut, page.search ? page.search.remarks.join(" ") : ""),
    painted(make("div", { class: "searchrow" }, search, make("button", { type: "button", onclick: reset }, "Clear")), page.search ? {} : { display: "none" }),
    page.search ? blendControl() : null,
    make("p", { id: "answer", role: "status" }),
    make("div", { class: "card documents" }, filters(),
      make("table", {}, make("thead", {}, make("tr", {}, make("th", { class: "number", id: "first-head", scope: "col" }, "#"),
        make("th", { scope: "col" }, name.slice(0, -1)), make("th", { scope: "col" }, "Mixture"), page.documents.labels ? make("th", { scope: "col" }, "Label") : null)),
      make("tbody", { id: "document-rows" })),
      make("div", { class: "pager" }, make("button", { type: "button", id: "previous", onclick: turn(-1) }, "Previous"),
        make("span", { id: "document-count", class: "small", role: "status" }), make("button", { type: "button", id: "next", onclick: turn(1) }, "Next"))));
}
