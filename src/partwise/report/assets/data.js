// The page's data: JSON, with arrays as base64.
const page = JSON.parse(document.getElementById("data").textContent);
const KINDS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array };

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

function unpack(packed) {
  return new KINDS[packed.kind](bytesOf(packed.bytes).buffer);
}

// A tall factor by rows; each(i, visit) visits the entries of row i that are not zero.
function unpackRows(packed) {
  const { rows, columns } = packed;
  if (packed.dense) {
    const values = unpack(packed.dense);
    const each = (i, visit) => {
      for (let c = 0; c < columns; c++) if (values[i * columns + c]) visit(c, values[i * columns + c]);
    };
    return { rows, columns, each };
  }
  const counts = unpack(packed.counts), places = unpack(packed.places), values = unpack(packed.values);
  const starts = new Uint32Array(rows + 1);
  for (let i = 0; i < rows; i++) starts[i + 1] = starts[i] + counts[i];
  const each = (i, visit) => {
    for (let p = starts[i]; p < starts[i + 1]; p++) visit(places[p], values[p]);
  };
  return { rows, columns, each };
}

// The weighted words by documents; value(p) is entry p of A as single precision has it, a level times a term's weight.
function unpackWords(packed, weightOf) {
  const counts = unpack(packed.counts), places = unpack(packed.places), documents = counts.length;
  const starts = new Uint32Array(documents + 1);
  for (let i = 0; i < documents; i++) starts[i + 1] = starts[i] + counts[i];
  const values = packed.values ? unpack(packed.values) : new Float32Array(places.length);
  if (!packed.values) {
    const level = unpack(packed.level), levels = unpack(packed.levels), own = unpack(packed.per_document), weights = weightOf();
    for (let i = 0, first = 0; i < documents; first += own[i++])
      for (let p = starts[i]; p < starts[i + 1]; p++) values[p] = levels[first + level[p]] * weights[places[p]];
  }
  return { starts, places, values, lengths: packed.lengths ? unpack(packed.lengths) : null };
}

const topics = page.topics, k = topics.length, nouns = page.nouns;
const w = unpackRows(page.factor.w), h = unpackRows(page.documents.h);
const scale = unpack(page.documents.scale);
const count = page.documents.ids.length;

// The parts of a document as shares of 1, and its strongest topic (-1: none).
function mixtureOf(i) {
  const parts = new Float64Array(k);
  let total = 0;
  h.each(i, (c, value) => { parts[c] = value * scale[c]; total += parts[c]; });
  if (total > 0) for (let c = 0; c < k; c++) parts[c] /= total;
  return parts;
}
const strongest = new Int32Array(count);
const degree = new Float64Array(count);
for (let i = 0; i < count; i++) {
  let best = -1, most = 0;
  let total = 0;
  h.each(i, (c, value) => {
    const part = value * scale[c];
    total += part;
    if (part > most) { most = part; best = c; }
  });
  strongest[i] = best;
  degree[i] = total > 0 ? most / total : 0;
}
