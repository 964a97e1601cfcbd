// The nearest documents: (1 − β) times the cosine of the weighted words and β times the cosine of W q and W d, the latter
// from k numbers each, in the metric WᵀW.
let gramKept = null, solvedKept = null, lengths = null, wordsKept = null;
const words = () => (wordsKept = wordsKept || unpackWords(page.documents.words, globalWeights));
const gram = () => (gramKept = gramKept || unpack(page.factor.gram));
const solved = () => (solvedKept = solvedKept || unpack(rules.solved));

function times(matrix, x) {
  const y = new Float64Array(k);
  for (let a = 0; a < k; a++) {
    let sum = 0;
    for (let b = 0; b < k; b++) sum += matrix[a * k + b] * x[b];
    y[a] = sum;
  }
  return y;
}

function documentLengths() {
  if (lengths) return lengths;
  const matrix = gram();
  lengths = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const held = [];
    h.each(i, (c, value) => held.push([c, value]));
    let sum = 0;
    for (const [a, x] of held) for (const [b, y] of held) sum += x * y * matrix[a * k + b];
    lengths[i] = Math.sqrt(Math.max(sum, 0));
  }
  return lengths;
}

// The row of h for a column of A, [place, weight] for each term: the exact nonnegative least squares solution with this W.
function foldIn(column) {
  const rhs = new Float64Array(k);
  for (const [place, value] of column) w.each(place, (c, weight) => { rhs[c] += weight * value; });
  return nonnegative(solved(), rhs);
}

function rowOf(i) {
  const row = new Float64Array(k);
  h.each(i, (c, value) => { row[c] = value; });
  return row;
}

// The column of a document on the page.
function columnAt(i) {
  const { starts, places, values } = words(), column = [];
  for (let p = starts[i]; p < starts[i + 1]; p++) column.push([places[p], values[p]]);
  return column;
}

// The cosine of a column with every document.
function wordScores(column) {
  const { starts, places, values, lengths: own } = words();
  const asked = new Float64Array(keys.length), scores = new Float64Array(count);
  for (const [place, value] of column) asked[place] = value;
  const length = Math.sqrt(column.reduce((sum, [, value]) => sum + value * value, 0));
  for (let i = 0; i < count; i++) {
    let dots = 0;
    for (let p = starts[i]; p < starts[i + 1]; p++) dots += values[p] * asked[places[p]];
    const product = (own ? own[i] : 1) * length;
    if (product > 0) scores[i] = Math.min(dots / product, 1);
  }
  return scores;
}

// The cosine of W q, q given by its row of h, with every W d.
function topicScores(row) {
  const right = times(gram(), row), own = documentLengths(), scores = new Float64Array(count);
  const length = Math.sqrt(Math.max(row.reduce((sum, value, c) => sum + value * right[c], 0), 0));
  for (let i = 0; i < count; i++) {
    if (!(length * own[i] > 0)) continue;
    let dots = 0;
    h.each(i, (c, value) => { dots += value * right[c]; });
    scores[i] = Math.min(dots / (length * own[i]), 1);
  }
  return scores;
}

const rounded = (score) => Math.round(1e12 * score) / 1e12;

// A document -> the first one with the same text, which stands for it in an answer.
const copyOf = new Map(page.documents.copies);
const firstOf = (i) => (copyOf.has(i) ? copyOf.get(i) : i);

// [document, score] for all with a score above 0, best first; equal scores by their words, then as the documents come.
function nearest(column, row, blend, without = -1) {
  const share = row.some((value) => value > 0) ? blend : 0;
  const byWords = wordScores(column), byTopics = topicScores(row), own = firstOf(without), found = [];
  for (let i = 0; i < count; i++) {
    const score = rounded((1 - share) * byWords[i] + share * byTopics[i]);
    if (score > 0 && !copyOf.has(i) && i !== own) found.push([i, score, rounded(byWords[i])]);
  }
  return found.sort((a, b) => b[1] - a[1] || b[2] - a[2] || a[0] - b[0]);
}

// Why document i was found: the terms of the query that it holds, the heaviest first, the topic that both share most,
// and the exact copies of i.
function why(i, column, row) {
  const asked = new Map(column), right = times(gram(), row);
  const held = columnAt(i).map(([place, value]) => [place, value * (asked.get(place) || 0)]).filter(([, value]) => value > 0);
  const terms = held.sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 8).map(([place]) => page.factor.names[place]);
  let topic = -1, most = 0;
  h.each(i, (c, value) => { if (value * right[c] > most) { most = value * right[c]; topic = c; } });
  const copies = page.documents.copies.filter(([, first]) => first === i).map(([copy]) => page.documents.ids[copy]);
  return { terms, topic, copies };
}
