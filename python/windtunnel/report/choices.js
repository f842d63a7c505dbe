"use strict";

// Draws the pictures of the flow or link that is chosen.

const MARKS = 8;

// The rows that a picture of lines over time is made from.
function rows(choices, values) {
  const made = ["line,time_s,mean,low,high,marked"];
  values.forEach((line, place) => {
    const step = Math.max(1, Math.floor(line.length / MARKS));
    const first = Math.floor((place / values.length) * step);
    line.forEach((value, index) => {
      const shown = value ?? "";
      const marked = Number(index % step === first);
      made.push([choices.lines[place], choices.times[index], shown, shown, shown, marked].join());
    });
  });
  return made.join("\n");
}

function replaced(specification, csv) {
  return JSON.parse(JSON.stringify(specification), (key, value) =>
    typeof value === "string" && value.startsWith("line,time_s,mean") ? csv : value);
}

function chooser(section) {
  const select = section.querySelector("select");
  const choices = JSON.parse(section.querySelector("[data-choices]").textContent);
  const figures = [...section.querySelectorAll("figure")];
  const first = new Map(
    figures.map((it) => [it, JSON.parse(it.querySelector("script").textContent)]),
  );

  async function show() {
    for (const figure of figures) {
      const values = choices.values[figure.id][select.value];
      figure.hidden = !values.flat().some((it) => it !== null);
      figure.querySelector("script").textContent = JSON.stringify(
        replaced(first.get(figure), rows(choices, values)),
      );
      delete figure.dataset.drawn;
    }
    await drawAll(figures.filter((it) => !it.hidden));
  }

  select.addEventListener("change", show);
  section.addEventListener("choose", (event) => {
    select.value = event.detail;
    section.closest("details")?.setAttribute("open", "");
    show();
  });
  show();
}

// Shows the pictures of a flow or a link, by its place among the options.
function choose(kind, place) {
  const section = document.getElementById(`chosen-${kind}`);
  section?.dispatchEvent(new CustomEvent("choose", { detail: String(place) }));
  section?.scrollIntoView({ block: "start" });
}

for (const section of document.querySelectorAll(".chooser")) chooser(section);
