// Topics at a glance: a map, a list to pick from, and all about the one that is picked.
const SHOWN_TERMS = 15;
let selected = 0, specific = 0.4, byTopic = null;

// W by topics: the rows of topic c stand from starts[c] on, each with its weight in the unit column and the part of the
// row that the topic holds.
function termsByTopic() {
  if (byTopic) return byTopic;
  const starts = new Uint32Array(k + 1), totals = new Float64Array(w.rows);
  const visit = (act) => {
    for (let i = 0; i < w.rows; i++) w.each(i, (c, value) => { if (scale[c] > 0 && value > 0) act(i, c, value / scale[c]); });
  };
  visit((i, c, weight) => { totals[i] += weight; starts[c + 1] += 1; });
  for (let c = 0; c < k; c++) starts[c + 1] += starts[c];
  const next = starts.slice(), rows = new Uint32Array(starts[k]), weights = new Float64Array(starts[k]);
  visit((i, c, weight) => { rows[next[c]] = i; weights[next[c]++] = weight; });
  byTopic = { starts, rows, weights, totals };
  return byTopic;
}

// weight × part^s: s = 0 is the weight alone, s = 1 the weight that no other topic shares.
function strongestTerms(topic, s, most) {
  const { starts, rows, weights, totals } = termsByTopic(), scored = [];
  for (let p = starts[topic]; p < starts[topic + 1]; p++) {
    const weight = weights[p], part = weight / totals[rows[p]];
    scored.push({ row: rows[p], weight, part, score: weight * part ** s });
  }
  return scored.sort((a, b) => b.score - a.score || a.row - b.row).slice(0, most);
}

function showTerms() {
  const found = strongestTerms(selected, specific, SHOWN_TERMS), colour = topics[selected].colour;
  const most = Math.max(...found.map((term) => term.weight), 1e-300);
  document.getElementById("terms").replaceChildren(...found.map((term) => {
    const name = page.factor.names[term.row];
    const label = page.search
      ? make("button", { type: "button", title: `Search for ${name}`, onclick: () => searchFor(name) }, given(name))
      : make("span", { class: "term", title: name }, given(name));
    const bar = make("div", { class: "meter", "aria-hidden": "true" },
      painted(make("i", { class: "all" }), { width: percent(term.weight / most, 1), background: colour }),
      painted(make("i"), { width: percent((term.weight * term.part) / most, 1), background: colour }));
    return make("li", { "data-term": name }, label, bar,
      make("span", { class: "value", title: `${percent(term.part)} of this ${nouns.row} is in this ${nouns.part}` }, percent(term.part)));
  }));
}

function exampleOf(example) {
  const head = example.title || example.id;
  const words = example.pieces.map(([text, marked]) => (marked ? make("mark", {}, text) : text));
  return make("article", { class: "example" },
    make("h4", {}, given(head), make("span", { class: "small" }, percent(example.degree))),
    example.title && example.title !== example.id ? make("p", { class: "small" }, given(example.id)) : null,
    words.length ? make("p", { dir: "auto" }, words) : null,
    example.carriers.length
      ? make("ul", { class: "chips", "aria-label": "Carried by" },
        example.carriers.map(([term, part]) => make("li", { title: `${percent(part)} of what speaks for this ${nouns.part}` }, given(term))))
      : null);
}

function statistics(topic) {
  const rows = [
    ["Share", percent(topic.share, 1), `its mean part in a ${nouns.column}`],
    [`${capital(nouns.column)}s`, whole(topic.size), "where it is the strongest"],
    ["Coherence", topic.coherence, "mean NPMI of its ten strongest: 0 is chance, 1 always together"],
    ["Sparsity", topic.sparsity, "Hoyer's measure: near 1 a few carry it all"],
    ["Reliability", topic.reliability, "mean cosine with the nearest from other starts: 1 is found again every time"],
  ];
  return make("dl", { class: "stats" }, rows.map(([name, value, meaning]) =>
    make("div", { title: meaning }, make("dt", {}, name),
      make("dd", {}, value === null ? "–" : typeof value === "number" ? value.toFixed(2) : value))));
}

function select(topic) {
  selected = topic;
  const one = topics[topic];
  document.getElementById(`pick-${topic}`).checked = true;
  document.getElementById("detail-head").replaceChildren(
    make("h3", { class: "name" }, dot(topic), given(one.name)),
    make("p", { class: "small" }, `${capital(nouns.part)} ${topic} of ${k}, the largest first. `,
      make("button", { type: "button", class: "plainbutton", onclick: () => showTopic(topic) }, `Show its ${plural(one.size, nouns.column)}`)),
    statistics(one), ...[partPicture(topic)].filter(Boolean));
  document.getElementById("examples").replaceChildren(...one.examples.map(exampleOf));
  showTerms();
  pickOnMap(topic);
}

function picker() {
  return make("fieldset", {}, make("legend", { class: "small" }, `Pick a ${nouns.part} here with the arrow keys, or in the map:`),
    make("div", { class: "picker", tabindex: "-1" }, topics.map((topic, c) =>
      make("label", { title: topic.name },
        make("input", { type: "radio", name: "topic", id: `pick-${c}`, value: c, onchange: () => select(c) }),
        dot(c), make("span", {}, given(topic.name)), make("span", { class: "share" }, percent(topic.share, 1))))));
}

function buildTopics() {
  const name = nouns.part === "topic" ? "Topics" : "Parts";
  const slider = make("input", {
    type: "range", id: "specificity", min: 0, max: 100, value: 100 * specific, "aria-label": "From weight to specificity",
    oninput: (event) => { specific = event.target.value / 100; showTerms(); },
  });
  const what = page.search ? "words that tend to stand in the same documents" : `${nouns.row}s that tend to be large together`;
  section("topics", name, `${name} at a glance`,
    make("p", { class: "note" }, `A ${nouns.part} is a weighted list of ${what}; nobody chose them beforehand. Large circles hold much of the `
      + `whole, and circles near each other share ${nouns.row}s.`),
    make("div", { class: "two" },
      make("div", { class: "card map" }, buildMap(), picker()),
      make("div", { class: "card detail", "aria-live": "polite" }, make("div", { id: "detail-head" }),
        make("h3", {}, `Its ${nouns.row}s`),
        make("div", { class: "slider" }, make("span", {}, "weight"), slider, make("span", {}, "specificity")),
        make("ol", { class: "terms", id: "terms" }),
        make("p", { class: "small" }, `The pale bar is the weight of the ${nouns.row}, the full one the part that only this ${nouns.part} has; the number is that part.`),
        make("h3", {}, `Typical ${nouns.column}s`), make("div", { id: "examples" }))));
}
