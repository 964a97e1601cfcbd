// min ½ xGx − r·x over x ≥ 0 by the active set method of Lawson and Hanson, on the gram alone (Bro and de Jong 1997).
function nonnegative(gram, rhs) {
  const n = rhs.length, x = new Float64Array(n), free = [];
  const tolerance = 1e-13 * rhs.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  for (let round = 0; round < 10 * n; round++) {
    let enter = -1, most = tolerance;
    for (let c = 0; c < n; c++) {
      if (free.includes(c)) continue;
      let slope = rhs[c];
      for (const f of free) slope -= gram[c * n + f] * x[f];
      if (slope > most) { most = slope; enter = c; }
    }
    if (enter < 0) return x;
    free.push(enter);
    if (!step(gram, rhs, x, free, n)) return x;
  }
  return x;
}

// Go to the least squares solution on the free entries, stopping where one of them would turn negative.
function step(gram, rhs, x, free, n) {
  while (free.length) {
    const z = solveFree(gram, rhs, free, n);
    if (z === null) { x[free.pop()] = 0; return false; }
    let reach = 1;
    free.forEach((c, i) => { if (z[i] <= 0) reach = Math.min(reach, x[c] / (x[c] - z[i])); });
    const full = z.every((value) => value > 0);
    free.forEach((c, i) => { x[c] = full ? z[i] : x[c] + reach * (z[i] - x[c]); });
    if (full) return true;
    for (let i = free.length - 1; i >= 0; i--) {
      if (z[i] <= 0 && x[free[i]] <= 1e-15) { x[free[i]] = 0; free.splice(i, 1); }
    }
  }
  return true;
}

// Cholesky on the free rows and columns; null where they are dependent.
function solveFree(gram, rhs, free, n) {
  const p = free.length, l = new Float64Array(p * p), z = new Float64Array(p);
  for (let i = 0; i < p; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = gram[free[i] * n + free[j]];
      for (let c = 0; c < j; c++) sum -= l[i * p + c] * l[j * p + c];
      if (i === j) {
        if (sum <= 1e-14 * gram[free[i] * n + free[i]]) return null;
        l[i * p + i] = Math.sqrt(sum);
      } else l[i * p + j] = sum / l[j * p + j];
    }
  }
  for (let i = 0; i < p; i++) {
    let sum = rhs[free[i]];
    for (let c = 0; c < i; c++) sum -= l[i * p + c] * z[c];
    z[i] = sum / l[i * p + i];
  }
  for (let i = p - 1; i >= 0; i--) {
    let sum = z[i];
    for (let c = i + 1; c < p; c++) sum -= l[c * p + i] * z[c];
    z[i] = sum / l[i * p + i];
  }
  return z;
}
