// A query becomes terms the way the documents did: letters in lower case, stop words out, stems, runs of words.
const rules = page.search;
const pattern = rules && new RegExp(rules.pattern, "gu");
const stops = new Set(rules ? rules.stop : []);
const forms = rules && rules.forms ? new Map(Object.entries(rules.forms)) : null;
const keys = rules ? rules.keys || page.factor.names : [];
const placeOf = new Map(keys.map((key, i) => [key, i]));
const knownParts = new Set(keys.flatMap((key) => key.split(" ")));

function plainWords(text) {
  return (text.normalize("NFC").toLowerCase().match(pattern) || []).filter((word) => !stops.has(word));
}

const keyOf = (word) => (forms && forms.get(word)) || word;

function termsOf(text) {
  const words = plainWords(text).map(keyOf);
  const [least, most] = rules.ngrams;
  const found = [];
  for (let size = least; size <= most; size++)
    for (let i = 0; i + size <= words.length; i++) found.push(words.slice(i, i + size).join(" "));
  return found;
}

const unknownWords = (text) => [...new Set(plainWords(text).filter((word) => !knownParts.has(keyOf(word))))];

// Known words by the pairs of letters that they share with a word: Dice's 2 |a ∩ b| / (|a| + |b|), at least one half.
const letterPairs = (word) => {
  const marked = `\u0002${word}\u0003`, points = [...marked];
  return new Set(points.slice(1).map((point, i) => points[i] + point));
};
let spelt = null;
function nearestWords(word, most = 3) {
  spelt = spelt || [...new Set(page.factor.names.flatMap((name) => name.split(" ")))].map((known) => [known, letterPairs(known)]);
  const own = letterPairs(word), found = [];
  for (const [known, pairs] of spelt) {
    let shared = 0;
    for (const pair of own) if (pairs.has(pair)) shared++;
    const likeness = (2 * shared) / (own.size + pairs.size);
    if (likeness >= 0.5) found.push([likeness, known]);
  }
  return found.sort((a, b) => b[0] - a[0]).slice(0, most).map(([, known]) => known);
}

// [place, weight] for every term of a text that the vocabulary has.
function columnOf(text) {
  const counts = new Map();
  for (const term of termsOf(text)) {
    const place = placeOf.get(term);
    if (place !== undefined) counts.set(place, (counts.get(place) || 0) + 1);
  }
  const weights = globalWeights();
  const local = rules.weight === "log-entropy" ? Math.log1p : (tf) => tf;
  const column = [...counts].map(([place, tf]) => [place, local(tf) * weights[place]]);
  if (!rules.normalize) return column;
  const length = Math.sqrt(column.reduce((sum, [, value]) => sum + value * value, 0));
  return length > 0 ? column.map(([place, value]) => [place, value / length]) : [];
}

let kept = null;
const globalWeights = () => (kept = kept || unpack(rules.global));
