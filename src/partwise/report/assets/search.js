// The nearest documents: cosines of W q and W d, from k numbers each, in the metric WᵀW.
let gramKept = null, solvedKept = null, lengths = null;
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

// The row of h for a text: the exact nonnegative least squares solution with this W; null without a known term.
function foldIn(text) {
  const column = columnOf(text);
  if (!column.length) return null;
  const rhs = new Float64Array(k);
  for (const [place, value] of column) w.each(place, (c, weight) => { rhs[c] += weight * value; });
  return nonnegative(solved(), rhs);
}

function rowOf(i) {
  const row = new Float64Array(k);
  h.each(i, (c, value) => { row[c] = value; });
  return row;
}

// [document, score] for all with a score above 0, best first; equal scores in the order of the documents.
function nearest(row, without = -1) {
  const right = times(gram(), row), own = documentLengths();
  const length = Math.sqrt(Math.max(row.reduce((sum, value, c) => sum + value * right[c], 0), 0));
  if (!(length > 0)) return [];
  const found = [];
  for (let i = 0; i < count; i++) {
    if (i === without || !(own[i] > 0)) continue;
    let dots = 0;
    h.each(i, (c, value) => { dots += value * right[c]; });
    const score = Math.round(1e12 * Math.min(dots / (length * own[i]), 1)) / 1e12;
    if (score > 0) found.push([i, score]);
  }
  return found.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}
