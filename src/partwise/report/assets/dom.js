// Elements are made here, and data only ever become text nodes.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function shape(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.flat());
  return element;
}

// A text of unknown origin, kept apart from the direction of what is around it.
const given = (text) => make("bdi", {}, String(text));
const percent = (value, digits = 0) => `${(100 * value).toFixed(digits)}%`;
const counted = new Intl.NumberFormat("en");
const whole = (value) => counted.format(value);
const plural = (value, noun) => `${whole(value)} ${noun}${value === 1 ? "" : "s"}`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);

function painted(element, styles) {
  Object.assign(element.style, styles);
  return element;
}

function section(id, name, title, ...children) {
  const made = make("section", { id, "aria-labelledby": `${id}-title` },
    make("div", { class: "wide" }, make("h2", { id: `${id}-title` }, title), ...children));
  document.getElementById("content").append(made);
  document.getElementById("sections").append(make("li", {}, make("a", { href: `#${id}` }, name)));
  return made;
}

function dot(topic) {
  return painted(make("span", { class: "dot", "aria-hidden": "true" }), { background: topics[topic].colour });
}

// A bar of a document's topics, with what it says in words.
function mixtureBar(parts) {
  const order = [...parts.keys()].filter((c) => parts[c] >= 0.02).sort((a, b) => parts[b] - parts[a]);
  const words = order.slice(0, 4).map((c) => `${percent(parts[c])} ${topics[c].name}`).join("; ");
  return make("div", { class: "mixture", role: "img", "aria-label": words || "no weight", title: words },
    order.map((c) => painted(make("i"), { width: percent(parts[c], 2), background: topics[c].colour })));
}
