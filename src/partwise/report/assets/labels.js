// Short names for circles: inside where they fit, else over or beside them where nothing is in the way, and never two
// on top of each other. What finds no room is left out; pointing at the circle says it.
const LEAST_SIZE = 10.5, LARGEST_SIZE = 15, LONGEST_WORD = 13;
const ruler = document.createElement("canvas").getContext("2d");
ruler.font = `100px ${getComputedStyle(document.body).fontFamily}`;
const letters = (text) => (window.Intl && Intl.Segmenter ? [...new Intl.Segmenter().segment(text)].map((one) => one.segment) : [...text]);

function shortened(word, most) {
  const all = letters(word);
  return all.length <= most ? word : `${all.slice(0, most - 1).join("")}…`;
}

const widthOf = (text, size) => (size / 100) * ruler.measureText(text).width;

function label(lines, size, x, y) {
  const wide = Math.max(...lines.map((line) => widthOf(line, size))) / 2, high = (lines.length * size * 1.2) / 2;
  return { lines, size, x, y, left: x - wide, right: x + wide, top: y - high, bottom: y + high };
}

// The corners of every line lie within the circle; the height of a line is taken without the room above its letters.
function fits(made, { r }) {
  const far = (made.lines.length - 0.4) * made.size * 0.6;
  return Math.hypot((made.right - made.left) / 2, far) <= r - 1.5;
}

function insideLabel(circle, words) {
  const start = Math.min(LARGEST_SIZE, Math.max(LEAST_SIZE, 0.4 * circle.r));
  for (const lines of [words.slice(0, 2), words.slice(0, 1)])
    for (let size = start; size >= LEAST_SIZE - 0.01; size -= 0.5) {
      const made = label(lines, size, circle.x, circle.y);
      if (fits(made, circle)) return made;
    }
  return null;
}

// One word over its circle, then around it.
function outsideLabels({ x, y, r }, word) {
  const over = label([word], LEAST_SIZE, x, y), half = (over.right - over.left) / 2, away = r + 8, corner = 0.7 * r + 3;
  const steps = [[0, away], [0, -away], [r + 4 + half, 0], [-r - 4 - half, 0]];
  for (const [across, down] of [[1, 1], [1, -1], [-1, 1], [-1, -1]]) steps.push([across * (corner + half), down * (corner + 4)]);
  return [over, ...steps.map(([dx, dy]) => label([word], LEAST_SIZE, x + dx, y + dy))];
}

const meet = (a, b) => a.left < b.right + 3 && b.left < a.right + 3 && a.top < b.bottom && b.top < a.bottom;

// How deep a label reaches into a circle, in pixels.
function depth(made, { x, y, r }) {
  const dx = Math.max(made.left - x, 0, x - made.right), dy = Math.max(made.top - y, 0, y - made.bottom);
  return Math.max(r - Math.hypot(dx, dy), 0);
}

function cutLabel(circle, word) {
  for (let most = LONGEST_WORD - 1; most >= 4; most--) {
    const made = label([shortened(word, most)], LEAST_SIZE, circle.x, circle.y);
    if (fits(made, { r: circle.r + 3 })) return made;
  }
  return null;
}

function freeLabel(circle, word, circles, taken, width, height) {
  let best = null, least = 8;
  outsideLabels(circle, word).forEach((made, place) => {
    if (made.left < 2 || made.right > width - 2 || made.top < 1 || made.bottom > height - 1) return;
    if (taken.some((other) => meet(made, other))) return;
    const others = circles.filter((other) => other !== circle);
    const cost = others.reduce((sum, other) => sum + depth(made, other), 0) + (place ? 2 + place / 3 : 0);
    if (cost < least) { best = made; least = cost; }
  });
  return best || cutLabel(circle, word);
}

// A label or null for every circle; the largest circles come first and choose first.
function labelled(circles, names, width, height) {
  const words = names.map((name) => name.split(", ").map((word) => shortened(word, LONGEST_WORD)));
  const found = circles.map((circle, c) => insideLabel(circle, words[c]));
  const taken = found.filter(Boolean);
  circles.forEach((circle, c) => {
    if (found[c]) return;
    const made = freeLabel(circle, words[c][0], circles, taken, width, height);
    if (made && !taken.some((other) => meet(made, other))) taken.push(found[c] = made);
  });
  return found;
}
