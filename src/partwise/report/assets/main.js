// The page from top to bottom.
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  document.getElementById("theme").textContent = name === "dark" ? "Light" : "Dark";
  document.getElementById("theme").setAttribute("aria-label", name === "dark" ? "Change to light colours" : "Change to dark colours");
}

function startTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => { setTheme(dark.matches ? "dark" : "light"); drawAll(); });
  document.getElementById("theme").addEventListener("click", () => { setTheme(isDark() ? "light" : "dark"); drawAll(); });
}

// Paper is white, and no reader of it can scroll to a chart: all are drawn, to its width, before it is printed.
function followPrinting() {
  let theme = null;
  addEventListener("beforeprint", () => {
    theme = document.documentElement.dataset.theme;
    setTheme("light");
    drawForPaper();
  });
  addEventListener("afterprint", () => {
    setTheme(theme);
    drawAll();
  });
}

function buildHead() {
  const { rows, columns, explained } = page.about;
  document.getElementById("title").append(given(page.title));
  document.getElementById("lead").textContent = page.search
    ? `${plural(columns, "document")} described as mixtures of ${plural(k, "topic")}. The topics come from the texts alone: words that keep company end up together.`
    : `A table of ${plural(rows, "row")} and ${plural(columns, "column")} rebuilt from ${plural(k, "part")} that only add up, A ≈ W H.`;
  const figures = [[`${nouns.column}s`, whole(columns)], [`${nouns.row}s`, whole(rows)], [`${nouns.part}s`, whole(k)], ["explained", percent(explained, 1)]];
  document.getElementById("figures").append(...figures.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  document.getElementById("foot").textContent = `Made by partwise ${page.about.version}. This file is complete: it asks nothing of any network.`;
}

function followSections() {
  const links = [...document.querySelectorAll("#sections a")];
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries.filter((one) => one.isIntersecting))
      for (const link of links) link.toggleAttribute("aria-current", link.hash === `#${entry.target.id}`);
  }, { rootMargin: "-30% 0px -60% 0px" });
  document.querySelectorAll("section").forEach((one) => watch.observe(one));
}

startTheme();
buildHead();
buildTopics();
buildPictures();
buildDocuments();
buildMatrix();
buildCompare();
buildQuality();
layMap();
select(0);
showDocuments();
followSections();
followPrinting();
document.documentElement.dataset.ready = String(Math.round(performance.now()));
document.addEventListener("DOMContentLoaded", () => setTimeout(startCharts, 100));
