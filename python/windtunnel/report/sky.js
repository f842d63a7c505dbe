"use strict";

// Draws the world map, and answers to its slider.

const TENTHS = 10;

function sky(figure) {
  const world = JSON.parse(figure.querySelector("script").textContent);
  const canvas = figure.querySelector("canvas");
  const slider = figure.querySelector("input");
  const pen = canvas.getContext("2d");

  const colour = (name) => getComputedStyle(figure).getPropertyValue(name);
  const hue = (index) => `hsl(${(index * 137.5 + 210) % 360} 70% 50%)`;

  function show() {
    const width = figure.clientWidth;
    const scale = window.devicePixelRatio || 1;
    canvas.width = width * scale;
    canvas.height = (width / 2) * scale;
    canvas.style.width = `${width}px`;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, width / 2);
    const at = (longitude, latitude) => [
      ((longitude + 180) / 360) * width,
      ((90 - latitude) / 360) * width,
    ];
    const frame = world.frames[slider.value];
    const place = (node) => [frame[2 * node] / TENTHS, frame[2 * node + 1] / TENTHS];

    pen.strokeStyle = colour("--soft");
    pen.lineWidth = 0.7;
    for (const line of world.coast) trace(line.map((it) => at(...it)));

    pen.fillStyle = colour("--soft");
    for (let node = world.stations; node < world.names.length; node++) {
      const [x, y] = at(...place(node));
      pen.fillRect(x - 1, y - 1, 2, 2);
    }
    world.paths.forEach((path, index) => {
      pen.strokeStyle = hue(index);
      pen.lineWidth = 2;
      const nodes = path.nodes[slider.value].map(place);
      for (let end = 1; end < nodes.length; end++) hop(nodes[end - 1], nodes[end], at);
    });
    pen.fillStyle = colour("--text");
    pen.font = "12px system-ui, sans-serif";
    for (let node = 0; node < world.stations; node++) {
      const [x, y] = at(...place(node));
      pen.fillRect(x - 3, y - 3, 6, 6);
      if (world.stations <= 20) pen.fillText(world.names[node], x + 6, y - 4);
    }
    tell();
  }

  function trace(points) {
    pen.beginPath();
    points.forEach(([x, y], index) => (index ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.stroke();
  }

  // A link over the edge of the map is drawn at both of its sides.
  function hop([west, south], [east, north], at) {
    const turn = east - west > 180 ? -360 : east - west < -180 ? 360 : 0;
    trace([at(west, south), at(east + turn, north)]);
    if (turn) trace([at(west - turn, south), at(east, north)]);
  }

  function tell() {
    const index = slider.value;
    figure.querySelector("output").textContent = `${world.times[index].toFixed(1)} s`;
    figure.querySelector("ul").replaceChildren(
      ...world.paths.map((path, number) => {
        const line = document.createElement("li");
        const links = path.links[index];
        const round = path.round_trip_ms[index];
        line.style.setProperty("--line", hue(number));
        line.textContent = links
          ? `${path.flow}: ${links} links, ${round.toFixed(1)} ms`
          : `${path.flow}: no path`;
        return line;
      }),
    );
  }

  slider.addEventListener("input", show);
  window.addEventListener("resize", show);
  show();
}

for (const figure of document.querySelectorAll("figure.sky")) sky(figure);
