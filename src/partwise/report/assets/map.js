// The map of the topics: circles that can be pointed at, clicked, and walked through with the arrow keys. It is drawn
// by the page itself, so that it is there at once; its colours are those of the style sheet.
const MAP_EDGE = 10, MAP_HEIGHT = 470, MAP_UNIT = 430;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
let mapHolder = null, mapWidth = 0, circles = [], bubbles = [], captions = [];

const saidOf = (topic) => `${percent(topic.share, 1)} of the whole, strongest in ${plural(topic.size, nouns.column)}`;

function bubbleOf(topic, c) {
  return shape("g", { class: "bubble", "data-topic": c, role: "radio", "aria-checked": "false", tabindex: "-1", "aria-label": `${topic.name}: ${saidOf(topic)}` },
    shape("circle", { class: "ring", stroke: topic.colour }), shape("circle", { class: "disc", fill: topic.colour, stroke: topic.colour }));
}

function buildMap() {
  bubbles = topics.map(bubbleOf);
  captions = topics.map(() => shape("text"));
  const svg = shape("svg", { role: "radiogroup", "aria-label": `Map of the ${nouns.part}s; the list below says the same` }, bubbles,
    shape("g", { class: "captions", "aria-hidden": "true" }, captions));
  const topicAt = (event) => { const found = event.target.closest(".bubble"); return found ? Number(found.dataset.topic) : -1; };
  const tell = (event) => (topicAt(event) < 0 ? hideHint() : showHint(topicAt(event)));
  svg.addEventListener("click", (event) => { if (topicAt(event) >= 0) select(topicAt(event)); });
  svg.addEventListener("pointerover", tell);
  svg.addEventListener("pointerleave", hideHint);
  svg.addEventListener("focusin", (event) => { if (event.target.matches(":focus-visible")) tell(event); });
  svg.addEventListener("focusout", hideHint);
  svg.addEventListener("keydown", mapKey);
  mapHolder = make("div", { class: "bubbles", id: "map" }, svg, make("div", { class: "hint", "aria-hidden": "true" }));
  new ResizeObserver(layMap).observe(mapHolder);
  return mapHolder;
}

// Where the circles stand at a width: the whole map fits, and areas stay in proportion to shares. A narrow map is drawn
// out downward, which makes room for names.
function circlesAt(width) {
  const { x, y, r, low, high } = page.map;
  const across = high[0] - low[0], down = high[1] - low[1];
  const unit = Math.min((width - 2 * MAP_EDGE) / across, (MAP_HEIGHT - 2 * MAP_EDGE) / down, MAP_UNIT);
  const left = (width - unit * across) / 2, stretch = width < 480 ? Math.min(Math.max(width / (unit * down), 1), 1.5) : 1;
  const found = r.map((radius, c) => ({ x: left + unit * (x[c] - low[0]), y: -unit * stretch * y[c], r: unit * radius }));
  const top = Math.min(...found.map((one) => one.y - one.r)) - MAP_EDGE;
  for (const one of found) one.y -= top;
  return { found, height: Math.round(Math.max(...found.map((one) => one.y + one.r)) + MAP_EDGE) };
}

function layMap() {
  const width = mapHolder.clientWidth;
  if (!width || width === mapWidth) return;
  const { found, height } = circlesAt(width);
  mapWidth = width;
  circles = found;
  const svg = mapHolder.firstChild;
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const labels = labelled(circles, topics.map((topic) => topic.name), width, height);
  bubbles.forEach((bubble, c) => placeBubble(bubble, circles[c]));
  captions.forEach((text, c) => placeCaption(text, labels[c]));
  hideHint();
}

function placeBubble(bubble, { x, y, r }) {
  const [ring, disc] = bubble.children;
  const set = (circle, radius) => Object.entries({ cx: x, cy: y, r: radius }).forEach(([name, value]) => circle.setAttribute(name, value.toFixed(2)));
  set(disc, r);
  set(ring, r + 5);
}

function placeCaption(text, made) {
  text.replaceChildren();
  if (!made) return;
  text.setAttribute("font-size", made.size);
  made.lines.forEach((line, n) => text.append(shape("tspan", {
    x: made.x.toFixed(2), y: (made.y + made.size * (0.35 + 1.2 * (n - (made.lines.length - 1) / 2))).toFixed(2),
  }, line)));
}

function pickOnMap(topic) {
  bubbles.forEach((bubble, c) => {
    bubble.setAttribute("aria-checked", String(c === topic));
    bubble.setAttribute("tabindex", c === topic ? "0" : "-1");
    captions[c].classList.toggle("picked", c === topic);
  });
}

// The nearest circle in the direction of the arrow; what lies aside of it counts as farther away.
function nextOnMap(from, [right, down]) {
  let best = from, least = Infinity;
  circles.forEach((circle, c) => {
    const dx = circle.x - circles[from].x, dy = circle.y - circles[from].y;
    const ahead = dx * right + dy * down, aside = Math.abs(dx * down) + Math.abs(dy * right);
    if (ahead > 1 && ahead + 2 * aside < least) { best = c; least = ahead + 2 * aside; }
  });
  return best;
}

function mapKey(event) {
  const ends = { Home: 0, End: k - 1 };
  if (event.key === "Escape") hideHint();
  if (!(event.key in ARROWS || event.key in ends) || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const next = event.key in ends ? ends[event.key] : nextOnMap(selected, ARROWS[event.key]);
  select(next);
  bubbles[next].focus();
}

function showHint(c) {
  const hint = mapHolder.lastChild, { x, y, r } = circles[c];
  hint.replaceChildren(make("strong", {}, dot(c), given(topics[c].name)), make("span", {}, saidOf(topics[c])));
  hint.classList.add("shown");
  const wide = hint.offsetWidth, high = hint.offsetHeight, above = y - r - high - 10;
  painted(hint, {
    left: `${Math.max(0, Math.min(x - wide / 2, mapHolder.clientWidth - wide))}px`,
    top: `${above > -60 ? above : y + r + 10}px`,
  });
}

function hideHint() {
  mapHolder.lastChild.classList.remove("shown");
}
