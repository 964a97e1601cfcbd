// Charts by plotly, whose script is unpacked once the page stands; they take the colours of the page.
const drawn = new Map();
const DARK_BLUES = [[0, "rgba(138,184,255,0)"], [0.15, "rgba(138,184,255,.3)"], [1, "#b9d4ff"]];

function chart(name, label, extra = "") {
  const spec = page.charts[name];
  if (!spec) return null;
  const element = make("div", { class: `chart ${extra}`, role: "img", "aria-label": label, id: `chart-${name}` });
  painted(element, { minHeight: `${spec.layout.height}px` });
  drawn.set(name, element);
  return element;
}

const isDark = () => document.documentElement.dataset.theme === "dark";

function themed(spec) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const layout = structuredClone(spec.layout), data = structuredClone(spec.data);
  layout.font = { ...layout.font, color: colour("--text") };
  for (const axis of Object.keys(layout).filter((key) => /^[xy]axis/.test(key)))
    Object.assign(layout[axis], { gridcolor: colour("--line"), linecolor: colour("--line"), zerolinecolor: colour("--line") });
  for (const trace of data) {
    if (trace.type === "heatmap" && isDark()) trace.colorscale = DARK_BLUES;
    if (trace.textfont) trace.textfont.color = colour("--text");
  }
  return { data, layout };
}

function draw(name) {
  const { data, layout } = themed(page.charts[name]);
  const small = matchMedia("(max-width: 620px)").matches;
  if (name === "map") {
    mapSize(data[0], layout, drawn.get(name).clientWidth);
    const clear = (hex) => `${hex}${isDark() ? "55" : "40"}`, full = (hex) => `${hex}${isDark() ? "aa" : "90"}`;
    data[0].marker.color = topics.map((topic, c) => (c === selected ? full(topic.colour) : clear(topic.colour)));
    data[0].marker.line.width = topics.map((_, c) => (c === selected ? 4 : 1.5));
  }
  if (small && ["similarity", "rows", "columns"].includes(name)) layout.font.size = 10;
  return window.Plotly.react(drawn.get(name), data, layout, { displayModeBar: false, responsive: true, scrollZoom: false });
}

// Circles keep their place when the page is narrow: their size is in the units of the map.
function mapSize(trace, layout, width) {
  if (width < 480) {
    layout.height = Math.round(0.95 * width);
    trace.textfont.size = 10;
    trace.text = trace.text.map((text) => text.split("<br>")[0]);
    painted(drawn.get("map"), { minHeight: `${layout.height}px` });
  }
  const across = layout.xaxis.range[1] - layout.xaxis.range[0], down = layout.yaxis.range[1] - layout.yaxis.range[0];
  const perUnit = Math.min((width - 8) / across, (layout.height - 8) / down);
  trace.marker.sizeref = 1 / perUnit;
  const rest = (range, pixels) => (pixels / perUnit - (range[1] - range[0])) / 2;
  const wideBy = rest(layout.xaxis.range, width - 8), highBy = rest(layout.yaxis.range, layout.height - 8);
  layout.xaxis.range = [layout.xaxis.range[0] - wideBy, layout.xaxis.range[1] + wideBy];
  layout.yaxis.range = [layout.yaxis.range[0] - highBy, layout.yaxis.range[1] + highBy];
}

async function loadPlotly() {
  const packed = new Blob([bytesOf(document.getElementById("plotly").textContent)]);
  const text = await new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).text();
  const script = document.createElement("script");
  script.textContent = text;
  document.head.append(script);
}

const pause = () => new Promise((done) => setTimeout(done, 0));

async function drawAll() {
  if (!window.Plotly) return;
  for (const name of drawn.keys()) {
    await pause();
    await draw(name);
  }
  document.documentElement.dataset.charts = "drawn";
}

async function startCharts() {
  try {
    await loadPlotly();
  } catch {
    for (const element of drawn.values()) element.textContent = "This browser is too old to unpack the chart.";
    return;
  }
  await drawAll();
  const map = drawn.get("map");
  if (map) map.on("plotly_click", (event) => select(event.points[0].pointIndex));
}
