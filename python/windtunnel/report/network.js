"use strict";

// Draws the network, and plays the run.

const SVG = "http://www.w3.org/2000/svg";
const APART = 3.5;
const BAR = [6, 26];
const NAMED = 60;
const ROUNDS = 80;
const FLAT = 0.25;
const STEP_MS = 120;

function element(name, attributes, ...inside) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

// The number of links between each two nodes; one more than there are nodes where there are none.
function distances(net) {
  const count = net.nodes.length;
  const neighbours = net.nodes.map(() => new Set());
  for (const it of net.directions) {
    neighbours[it.from].add(it.to);
    neighbours[it.to].add(it.from);
  }
  return neighbours.map((_, start) => {
    const hops = Array(count).fill(count + 1);
    hops[start] = 0;
    for (let queue = [start], at = 0; at < queue.length; at++) {
      for (const next of neighbours[queue[at]]) {
        if (hops[next] > count) {
          hops[next] = hops[queue[at]] + 1;
          queue.push(next);
        }
      }
    }
    return hops;
  });
}

// Places between 0 and 1. Nodes begin between the sources, on the left, and the destinations, and
// move until they are as far apart as there are links between them (stress majorization, Gansner,
// Koren and North, 2004).
function places(net) {
  const hops = distances(net);
  const nearest = (node, ends) => Math.min(...ends.map((it) => hops[node][it]));
  const sources = net.flows.map((it) => it[0]);
  const ends = net.flows.map((it) => it[1]);
  const longest = Math.max(...hops.flat().filter((it) => it <= net.nodes.length), 1);
  const used = new Map();
  let at = net.nodes.map((_, node) => {
    const [here, there] = [nearest(node, sources), nearest(node, ends)];
    const known = net.flows.length > 0 && here + there > 0;
    const x = known ? here / (here + there) : hops[0][node] / longest;
    const column = x.toFixed(2);
    used.set(column, (used.get(column) ?? 0) + 1);
    const row = used.get(column);
    // Above and below in turn; and a little aside, so that no three are in a line.
    return [x * longest, (row % 2 ? 1 : -1) * Math.floor(row / 2) + 0.05 * node];
  });
  for (let round = 0; round < ROUNDS; round++) {
    at = at.map(([x, y], node) => {
      let [sumX, sumY, sum] = [0, 0, 0];
      at.forEach(([otherX, otherY], other) => {
        const wanted = hops[node][other];
        if (other === node || wanted > net.nodes.length) return;
        const far = Math.hypot(x - otherX, y - otherY) || 1e-6;
        const weight = 1 / wanted ** 2;
        sumX += weight * (otherX + (wanted * (x - otherX)) / far);
        sumY += weight * (otherY + (wanted * (y - otherY)) / far);
        sum += weight;
      });
      return sum ? [sumX / sum, sumY / sum] : [x, y];
    });
  }
  return fitted(turned(at, sources, ends));
}

// Turned so that data flows from the left to the right.
function turned(at, sources, ends) {
  const middle = (nodes, axis) => nodes.reduce((sum, it) => sum + at[it][axis], 0) / nodes.length;
  if (!sources.length) return at;
  const [x, y] = [0, 1].map((axis) => middle(ends, axis) - middle(sources, axis));
  const length = Math.hypot(x, y);
  if (length < 1e-3) return at;
  return at.map(([a, b]) => [(a * x + b * y) / length, (b * x - a * y) / length]);
}

// A chain stays flat: only what has a height of its own is stretched to that of the drawing.
function fitted(at) {
  const ends = [0, 1].map((axis) => {
    const values = at.map((it) => it[axis]);
    return [Math.min(...values), Math.max(...values)];
  });
  const [width, height] = ends.map(([low, high]) => high - low);
  const range = [Math.max(width, FLAT * height, 1e-6), Math.max(height, FLAT * width, 1e-6)];
  return at.map((it) =>
    it.map((value, axis) => 0.5 + (value - (ends[axis][0] + ends[axis][1]) / 2) / range[axis]));
}

function network(figure) {
  const net = JSON.parse(figure.querySelector("[data-network]").textContent);
  const [place, slider] = [figure.querySelector(".drawn"), figure.querySelector("input")];
  const [output, play] = [figure.querySelector("output"), figure.querySelector(".play")];
  const at = places(net);
  let drawn = [];

  function lay() {
    const width = figure.clientWidth;
    const rows = at.map((it) => it[1]);
    const spread = Math.max(...rows) - Math.min(...rows);
    const most = Math.max(200, Math.min(400, width * 0.42, 110 + 26 * net.nodes.length));
    const height = 90 + (most - 90) * spread;
    const margin = Math.min(60, width / 8);
    const points = at.map(([x, y]) => [
      margin + x * (width - 2 * margin), (height - 5) / 2 + (y - 0.5) * (most - 90),
    ]);
    const svg = element("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
    drawn = net.directions.map((it) => direction(it, points));
    svg.append(...drawn.map((it) => it.group), ...drawn.map((it) => it.bar));
    points.forEach(([x, y], node) => {
      svg.append(element("circle", { cx: x, cy: y, r: 5 }, element("title", {}, net.nodes[node])));
      if (net.nodes.length <= NAMED) {
        svg.append(element("text", { x, y: y + 18 }, net.nodes[node]));
      }
    });
    place.replaceChildren(svg);
    show();
  }

  // A direction has its own line beside that of the other, and a bar near its start.
  function direction(it, points) {
    const [[x1, y1], [x2, y2]] = [points[it.from], points[it.to]];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [alongX, alongY] = [(x2 - x1) / length, (y2 - y1) / length];
    const [asideX, asideY] = [-alongY * APART, alongX * APART];
    const ends = { x1: x1 + asideX, y1: y1 + asideY, x2: x2 + asideX, y2: y2 + asideY };
    const line = element("line", { ...ends, class: "use" });
    const title = element("title", {});
    const group = element("g", {}, title, element("line", { ...ends, class: "reach" }), line);
    const start = Math.min(24, length / 3);
    const bar = element("rect", {
      x: x1 + asideX + alongX * start - BAR[0] / 2,
      width: BAR[0],
      class: "queue",
    });
    const foot = y1 + asideY + alongY * start;
    if (it.option !== null) {
      for (const [key, value] of [["tabindex", 0], ["role", "button"]]) group.setAttribute(key, value);
      group.addEventListener("click", () => choose("link", it.option));
      group.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        choose("link", it.option);
      });
    }
    return { it, group, line, title, bar, foot };
  }

  function show() {
    const index = Number(slider.value);
    output.textContent = `${Number(net.times[index].toPrecision(4))} s`;
    for (const { it, group, line, title, bar, foot } of drawn) {
      const [use, queue] = [it.use[index] ?? 0, it.queue[index] ?? 0];
      line.style.stroke = `color-mix(in oklab, var(--unused), var(--hue-1) ${Math.min(use, 100)}%)`;
      line.style.strokeWidth = 1.5 + use / 40;
      const height = net.longest ? (BAR[1] * queue) / net.longest : 0;
      bar.setAttribute("y", foot - height);
      bar.setAttribute("height", height);
      const names = `${net.nodes[it.from]} to ${net.nodes[it.to]}`;
      title.textContent = `${it.link}: ${names}, use ${use} %, queue ${queue} packets`;
      group.setAttribute("aria-label", title.textContent);
    }
  }

  let timer = null;
  function stop() {
    clearInterval(timer);
    timer = null;
    [play.textContent, play.ariaLabel] = ["▶", "Play the run"];
  }
  play.addEventListener("click", () => {
    if (timer) return stop();
    if (slider.value === slider.max) slider.value = 0;
    [play.textContent, play.ariaLabel] = ["⏸", "Stop"];
    timer = setInterval(() => {
      slider.stepUp();
      show();
      if (slider.value === slider.max) stop();
    }, STEP_MS);
  });
  slider.addEventListener("input", show);
  for (const button of figure.querySelectorAll("[data-flow]")) {
    button.addEventListener("click", () => choose("flow", button.dataset.flow));
  }
  window.addEventListener("resize", lay);
  lay();
}

for (const figure of document.querySelectorAll("figure.network")) network(figure);
