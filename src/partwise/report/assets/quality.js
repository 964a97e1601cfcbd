// How good is it: the certificate in plain words, then the pictures behind it.
const VERDICTS = { good: "Good", fair: "Fair", bad: "Poor" };

function verdictCard(line) {
  return make("article", { class: `card verdict ${line.verdict}` },
    make("h3", {}, make("span", {}, line.name), VERDICTS[line.verdict] ? make("span", { class: "badge" }, VERDICTS[line.verdict]) : null),
    make("p", { class: "value" }, line.value), make("p", {}, line.meaning),
    line.advice && line.advice !== "Nothing to do." ? make("p", { class: "advice" }, line.advice) : null);
}

function chartCard(name, title, words, extra = "") {
  const made = chart(name, title);
  return made ? make("div", { class: `card ${extra}` }, make("h3", {}, title), make("p", { class: "small" }, words), made) : null;
}

function buildQuality() {
  const bad = page.verdicts.filter((line) => line.verdict === "bad").length;
  const fair = page.verdicts.filter((line) => line.verdict === "fair").length;
  const sum = bad ? `${plural(bad, "line")} below ${bad === 1 ? "needs" : "need"} attention.`
    : fair ? `Sound, with ${plural(fair, "line")} to know about.` : "Every line is good.";
  section("quality", "Quality", "How good is it?",
    make("p", { class: "note" }, `${sum} Each line says what was measured, what it means, and what to do about it.`),
    make("div", { class: "verdicts" }, page.verdicts.map(verdictCard)),
    make("div", { class: "even" },
      chartCard("error", "Error by iteration", "The part of the data that is not explained; it falls, then stands still."),
      chartCard("angles", "How far the parts still turn", "The part that changed most in each iteration, in degrees; small is settled."),
      chartCard("svd", "Error against the SVD", "The line is the least error possible at each rank; the dot is this factorisation."),
      chartCard("sparsity", "Sparsity of W and H", `Rows gathered by their strongest ${nouns.part}; what is blank is zero, and clean blocks mean clear ${nouns.part}s.`),
      chartCard("similarity", `How alike the ${nouns.part}s are`, `The cosine of every two; dark squares are ${nouns.part}s that share ${nouns.row}s.`, "whole")),
    make("details", {}, make("summary", {}, "The certificate, every number"),
      make("table", { class: "certificate" }, make("tbody", {}, page.certificate.map(([name, text]) =>
        make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, text)))))));
}
