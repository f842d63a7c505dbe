"use strict";

// Draws the pictures of the page, and answers to their legends and buttons.

const STEPS = [
  ["+", "Zoom in", 0.5, 0],
  ["−", "Zoom out", 2, 0],
  ["‹", "Earlier", 1, -0.25],
  ["›", "Later", 1, 0.25],
];

const OPTIONS = {
  renderer: "svg",
  actions: false,
  defaultStyle: false,
  tooltip: { theme: "custom", sanitize: readable },
};

// Without those that draw themselves.
const PICTURES = "figure.picture:not([hidden])";

async function draw(figure) {
  const place = figure.querySelector(".drawing");
  const spec = JSON.parse(figure.querySelector("script").textContent);
  const { view } = await vegaEmbed(place, spec, OPTIONS);
  const signals = Object.keys(view.getState({ signals: () => true, data: () => false }).signals);
  figure.querySelector(".save")?.remove();
  if (!figure.querySelector(".files")) figure.append(saving(figure, view));
  if (signals.includes("only")) singleOut(figure, view);
  figure.querySelector(".buttons")?.remove();
  if (signals.includes("zoom_time_s")) figure.prepend(buttons(view));
}

// A click on the legend singles a line out, or takes it back.
function singleOut(figure, view) {
  const legend = [...figure.querySelectorAll("[data-line]")];
  for (const button of legend) {
    // In place of the one before, where a picture is drawn anew.
    button.onclick = () => {
      button.ariaPressed = String(button.ariaPressed !== "true");
      const pressed = legend.filter((it) => it.ariaPressed === "true");
      view.signal("only", pressed.map((it) => it.dataset.line)).runAsync();
    };
  }
}

// Buttons do what a pointer can: fingers and keys have no wheel.
function buttons(view) {
  const bar = document.createElement("div");
  bar.className = "buttons";
  for (const [text, label, stretch, shift] of STEPS) {
    bar.append(button(text, label, () => {
      const [start, end] = view.scale("x").domain();
      const centre = (start + end) / 2 + (end - start) * shift;
      const half = ((end - start) / 2) * stretch;
      // Vega wants both axes; the other one stays as it is.
      view.signal("zoom_time_s", [centre - half, centre + half]);
      view.signal("zoom_mean", view.scale("y").domain()).runAsync();
    }));
  }
  bar.append(button("↺", "See all again", () => {
    view.signal("zoom_time_s", null).signal("zoom_mean", null).runAsync();
  }));
  return bar;
}

// A picture is saved in the page's colours, as it is shown.
function saving(figure, view) {
  const bar = document.createElement("p");
  bar.className = "save screen";
  bar.append(button("SVG", "Save the picture as SVG", async () => {
    const style = getComputedStyle(document.documentElement);
    const svg = (await view.toSVG()).replace(
      /var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim(),
    );
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
    link.download = `${figure.id}.svg`;
    link.click();
    URL.revokeObjectURL(link.href);
  }));
  return bar;
}

// What a tooltip says: no markup, and no number where there is none.
function readable(value) {
  const place = document.createElement("span");
  place.textContent = value === "NaN" ? "–" : value;
  return place.innerHTML;
}

function button(text, label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.title = made.ariaLabel = label;
  made.addEventListener("click", act);
  return made;
}

// What is folded away has no width: it is drawn once it is unfolded.
async function drawAll(pictures) {
  for (const figure of pictures) {
    if (figure.dataset.drawn || figure.closest("details:not([open])")) continue;
    figure.dataset.drawn = "yes";
    await draw(figure);
  }
}

for (const folded of document.querySelectorAll("details")) {
  folded.addEventListener("toggle", () => drawAll(folded.querySelectorAll(PICTURES)));
}
drawAll(document.querySelectorAll(PICTURES));
