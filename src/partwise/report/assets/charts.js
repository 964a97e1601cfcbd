// Charts by plotly, in the colours of the page. Its script takes most of a second to compile, in which nothing can be
// clicked: so that is done when a chart comes near the window, before the page is printed, or when the page has stood
// for a while and the reader's hands are still.
const STANDS = 2000, STILL = 1000, PAPER = 620, NEAR = "800px";
const SIGNS = ["pointermove", "pointerdown", "keydown", "wheel", "touchmove"];
const drawn = new Map();
let plotlySource = null;
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

function draw(name, width) {
  const { data, layout } = themed(page.charts[name]);
  Object.assign(layout, width ? { width } : { autosize: true });
  const small = width || matchMedia("(max-width: 620px)").matches;
  if (small && ["similarity", "rows", "columns"].includes(name)) layout.font.size = 10;
  return window.Plotly.react(drawn.get(name), data, layout, { displayModeBar: false, responsive: true, scrollZoom: false });
}

async function unpackPlotly() {
  const packed = new Blob([bytesOf(document.getElementById("plotly").textContent)]);
  return new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

function runPlotly() {
  if (window.Plotly || plotlySource === null) return;
  const script = document.createElement("script");
  script.textContent = plotlySource;
  document.head.append(script);
  plotlySource = null;
}

const later = (wait) => new Promise((done) => setTimeout(done, wait));

async function quiet() {
  let last = 0;
  for (const sign of SIGNS) addEventListener(sign, () => { last = performance.now(); }, { passive: true });
  await later(STANDS);
  while (performance.now() - last < STILL) await later(STILL / 4);
}

function near() {
  return new Promise((done) => {
    const watch = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      watch.disconnect();
      done();
    }, { rootMargin: NEAR });
    for (const element of drawn.values()) watch.observe(element);
  });
}

async function drawAll() {
  if (!window.Plotly) return;
  for (const name of drawn.keys()) {
    await later(0);
    await draw(name);
  }
  document.documentElement.dataset.charts = "drawn";
}

// Nothing here may wait: the paper is made as soon as this returns.
function drawForPaper() {
  runPlotly();
  if (window.Plotly) for (const name of drawn.keys()) draw(name, PAPER);
}

async function startCharts() {
  try {
    plotlySource = await unpackPlotly();
  } catch {
    for (const element of drawn.values()) element.textContent = "This browser is too old to unpack the chart.";
    return;
  }
  document.documentElement.dataset.plotly = "unpacked";
  await Promise.race([near(), quiet()]);
  runPlotly();
  await drawAll();
}
