// A query becomes terms the way the documents did: folded words, stop words out, stems, phrases, runs of words.
const rules = page.search;
const pattern = rules && new RegExp(rules.pattern, "gu");
const stops = new Set(rules ? rules.stop : []);
const forms = rules && rules.forms ? new Map(Object.entries(rules.forms)) : null;
const keys = rules ? rules.keys || page.factor.names : [];
const placeOf = new Map(keys.map((key, i) => [key, i]));
const knownParts = new Set(keys.flatMap((key) => key.split(" ")));

const phrases = new Set(rules ? rules.phrases : []);
const pairsOf = (signs) => signs.slice(1).map((sign, i) => signs[i] + sign);
const scriptWords = [
  (signs) => (signs.length > 1 ? pairsOf(signs) : signs),  // Han
  pairsOf,  // Hiragana
  (signs) => (signs.length > 1 ? [signs.join("")] : []),  // Katakana
  pairsOf,  // Thai and others
];

// partwise.text.characters.fold; JavaScript has no full case folding, so its commonest cases are written out.
function caseFolded(text) {
  return text.toLowerCase().replace(/ß/g, "ss").replace(/[ﬀ-ﬆ]/g, (sign) => sign.normalize("NFKC")).normalize("NFC")
    .replace(/i\u0307/g, "i").replace(/\u00ad/g, "").replace(/[\u2019\u02bc\uff07]/g, "'").replace(/[\u2010\u2011]/g, "-")
    .replace(/(?<=[\p{L}\p{N}_])σ(?![\p{L}\p{N}_])/gu, "ς");
}

// partwise.text.tokenizer.default_rule
function defaultWords(text) {
  const words = [];
  for (const match of caseFolded(text).matchAll(pattern)) {
    const script = match.slice(1).findIndex((group) => group !== undefined);
    if (script >= 0) {
      words.push(...scriptWords[script](match[0].match(/\P{M}\p{M}*/gu)));
      continue;
    }
    const word = match[0].endsWith("'s") ? match[0].slice(0, -2) : match[0];
    if ([...word].length > 1 && (rules.numbers || !/^[\p{Nd}\p{M}\u200c\u200d']+$/u.test(word))) words.push(word);
  }
  return words;
}

const wordsOf = (text) => (rules.default ? defaultWords(text) : text.normalize("NFC").toLowerCase().match(pattern) || []);
const stopped = (word) => stops.has(word) || (rules.stop_hiragana && /^[\u3041-\u3096\u309d-\u309f]+$/.test(word));
const plainWords = (text) => wordsOf(text).filter((word) => !stopped(word));

const keyOf = (word) => (forms && forms.get(word)) || word;

function termsOf(text) {
  let words = joined(wordsOf(text).map((word) => (stopped(word) ? null : keyOf(word))));
  if (rules.across) words = words.filter((word) => word !== null);
  const [least, most] = rules.ngrams;
  const found = [];
  for (let size = least; size <= most; size++)
    for (let i = 0; i + size <= words.length; i++) {
      const run = words.slice(i, i + size);
      if (!run.includes(null)) found.push(run.join(" "));
    }
  return found;
}

// Neighbours that are a phrase become one, from left to right; null stands for a stop word.
function joined(words) {
  const units = [];
  for (let i = 0; i < words.length; i++) {
    const pair = words[i] !== null && words[i + 1] ? `${words[i]} ${words[i + 1]}` : null;
    if (pair !== null && phrases.has(pair)) {
      units.push(pair);
      i++;
    } else units.push(words[i]);
  }
  return units;
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
