// Images and labelled matrices.
function canvasOf(bytes, offset, [rows, columns], label, paint) {
  const canvas = make("canvas", { width: columns, height: rows, role: "img", "aria-label": label });
  const context = canvas.getContext("2d"), image = context.createImageData(columns, rows);
  for (let p = 0; p < rows * columns; p++) {
    const [red, green, blue] = paint(bytes[offset + p]);
    image.data.set([red, green, blue, 255], 4 * p);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

const grey = (value) => [value, value, value];
const ink = (value) => [255 - value, 255 - value, 255 - value];
// Below the middle red, above it blue: a singular vector adds and takes away.
function signed(value) {
  const part = (value - 127.5) / 127.5, full = part < 0 ? [178, 48, 52] : [33, 92, 176];
  return full.map((channel) => Math.round(255 + (channel - 255) * Math.abs(part)));
}

function gallery(bytes, paint, label) {
  const { shape, count: many } = page.pictures, size = shape[0] * shape[1];
  return make("ul", { class: "gallery" }, Array.from({ length: many }, (_, c) =>
    make("li", {}, canvasOf(bytes, c * size, shape, `${label} ${c}`, paint), String(c))));
}

function rebuiltRow(face, parts) {
  const { shape } = page.pictures, size = shape[0] * shape[1];
  const figure = (bytes, offset, text, paint) => make("figure", {}, canvasOf(bytes, offset, shape, text, paint), make("figcaption", {}, given(text)));
  const made = [];
  if (face.before) made.push(figure(unpack(face.before), 0, face.name, grey));
  made.push(figure(unpack(face.after), 0, face.before ? "rebuilt" : face.name, grey), make("span", { class: "sign", "aria-hidden": "true" }, "="));
  face.parts.forEach(([c, share], n) => {
    if (n) made.push(make("span", { class: "sign", "aria-hidden": "true" }, "+"));
    made.push(figure(parts, c * size, `${percent(share)} part ${c}`, ink));
  });
  return make("div", { class: "face" }, made, make("span", { class: "sign" }, "+ …"));
}

// The picture of one part, beside its name.
function partPicture(topic) {
  if (!page.pictures || topic >= page.pictures.count) return null;
  const { shape } = page.pictures;
  return make("div", { class: "portrait" }, canvasOf(unpack(page.pictures.parts), topic * shape[0] * shape[1], shape, `part ${topic}`, ink));
}

function buildPictures() {
  if (!page.pictures) return;
  const parts = unpack(page.pictures.parts), singular = unpack(page.pictures.singular);
  const whose = page.pictures.ownSvd ? "The SVD's" : "The SVD's (of the rebuilt pictures: the data were not given)";
  section("images", "Images", "Images",
    make("p", { class: "note" }, "Parts only add up, so they look like pieces; the vectors of the SVD add (blue) and take away (red), so each is a whole ghost."),
    make("div", { class: "even" },
      make("div", { class: "card" }, make("h3", {}, "The parts"), gallery(parts, ink, "part")),
      make("div", { class: "card" }, make("h3", {}, whose), gallery(singular, signed, "singular vector")),
      make("div", { class: "card whole" }, make("h3", {}, "Rebuilt from parts"),
        page.pictures.rebuilt.map((face) => rebuiltRow(face, parts)))));
}

// The strongest columns of a part.
function strongestColumns(topic, most) {
  const found = [];
  for (let i = 0; i < count; i++) h.each(i, (c, value) => { if (c === topic) found.push([i, value]); });
  return found.sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, most).map(([i]) => page.documents.ids[i]);
}

function buildMatrix() {
  if (page.search || page.pictures) return;
  const row = (c) => make("tr", {}, make("th", { scope: "row" }, dot(c), " ", given(topics[c].name)),
    make("td", {}, make("ul", { class: "chips" }, strongestTerms(c, 0, 12).map((term) => make("li", {}, given(page.factor.names[term.row]), ` ${term.weight.toFixed(2)}`)))),
    make("td", {}, make("ul", { class: "chips" }, strongestColumns(c, 8).map((name) => make("li", {}, given(name))))));
  section("matrix", "Matrix", "Rows and columns",
    make("p", { class: "note" }, "The strongest rows and columns of every part, as a table and as colours: what lights up together belongs together."),
    make("div", { class: "card scroll", tabindex: "0", role: "region", "aria-label": "Strongest rows and columns" },
      make("table", {}, make("thead", {}, make("tr", {}, ["Part", "Strongest rows", "Strongest columns"].map((name) => make("th", { scope: "col" }, name)))),
        make("tbody", {}, topics.map((_, c) => row(c))))),
    make("div", { class: "even" },
      chartCard("rows", "Rows by part", "The strongest rows of each part, every part scaled to its largest.", "whole"),
      chartCard("columns", "Columns by part", "Columns gathered by their strongest part; each scaled to its own largest.", "whole")));
}
