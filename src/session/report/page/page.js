// page.js: the plots of a report: lines of types and cores over time, and a heat map of cores below.
"use strict";
(() => {
const FIRST_PLOTS = 4, MANY_ROWS = 16, MARKS_NAMED = 20, AXIS_WIDTH = 64, PLOT_HEIGHT = 220;
const sessions = JSON.parse(document.getElementById("data").textContent);
const cards = [];

const make = (tag, parent, text) => {
	const node = document.createElement(tag);
	if (text !== undefined)
		node.textContent = text;
	parent.append(node);
	return node;
};
const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

// Numbers as in the tables: 3.20G, 12.5k, 0.27
function si(value) {
	if (value === null || value === undefined || Number.isNaN(value))
		return "–";
	const size = Math.abs(value);
	for (const [unit, suffix] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]])
		if (size >= unit)
			return (value / unit).toPrecision(4) + suffix;
	return size >= 1e-3 || size === 0 ? String(+value.toPrecision(4)) : value.toExponential(2);
}

// 16 bits of the range from low to high; 0: no value.
function unpack(packed, low, high) {
	const bytes = Uint8Array.from(atob(packed), c => c.charCodeAt(0));
	const codes = new DataView(bytes.buffer);
	return Array.from({ length: bytes.length / 2 }, (_, i) => {
		const code = codes.getUint16(2 * i, true);
		return code ? low + (code - 1) / 65534 * (high - low) : null;
	});
}

// Of a series: "mean", "min" or "max"; where only one interval was, all three are the same.
function values(series, which) {
	series.cache ??= {};
	return series.cache[which] ??= unpack(series[which] ?? series.mean, series.low, series.high);
}

// What can be chosen: every name once, metrics first.
function figures(session) {
	const all = new Map();
	for (const series of session.series) {
		const key = series.rate + series.name;
		if (!all.has(key))
			all.set(key, { name: series.name, rate: series.rate, unit: series.unit, series: [] });
		all.get(key).series.push(series);
	}
	return [...all.values()].sort((a, b) => a.rate - b.rate);
}

const unitOf = figure => figure.rate ? (figure.unit || "events") + "/s" : figure.unit;

function drawAnnotations(plot, session) {
	const { ctx, bbox } = plot, ratio = devicePixelRatio;
	const shown = session.annotations.filter(m => m.t >= plot.scales.x.min && m.t <= plot.scales.x.max);
	ctx.save();
	ctx.font = `${11 * ratio}px system-ui, sans-serif`;
	ctx.textAlign = "left";
	ctx.textBaseline = "top";
	ctx.lineWidth = ratio;
	const ends = []; // of the texts, line by line
	for (const annotation of shown) {
		const x = Math.round(plot.valToPos(annotation.t, "x", true));
		const isMark = annotation.what === "mark";
		ctx.strokeStyle = ctx.fillStyle = colour(isMark ? "ink" : "dim");
		ctx.setLineDash(isMark ? [] : [4 * ratio, 4 * ratio]);
		ctx.beginPath();
		ctx.moveTo(x, bbox.top);
		ctx.lineTo(x, bbox.top + bbox.height);
		ctx.stroke();
		if (shown.length > MARKS_NAMED)
			continue;
		const width = Math.min(ctx.measureText(annotation.text).width, bbox.width);
		const left = Math.min(x + 3 * ratio, bbox.left + bbox.width - width);
		let line = ends.findIndex(end => end < left);
		if (line < 0)
			line = ends.length;
		ends[line] = left + width + 6 * ratio;
		const place = [annotation.text, left, bbox.top + 12 * line * ratio, width];
		ctx.setLineDash([]);
		ctx.lineWidth = 4 * ratio;
		ctx.strokeStyle = colour("card") + "a0"; // the curve behind it shines through
		ctx.strokeText(...place);
		ctx.fillText(...place);
		ctx.lineWidth = ratio;
	}
	ctx.restore();
}

// Types and clusters are drawn; a few cores can be, by their name in the legend.
function lines(session, figure) {
	const rows = figure.series.filter(s => session.rows[s.row].by !== "core");
	const cores = figure.series.filter(s => session.rows[s.row].by === "core");
	if (!rows.length)
		return cores;
	return cores.length <= MANY_ROWS ? rows.concat(cores) : rows;
}

// Lengths can be compared only from zero.
function fromZero(plot, min, max) {
	return min === null ? [0, 1] : uPlot.rangeNum(Math.min(0, min), Math.max(0, max), .1, true);
}

// What all plots have: the axes, and a cursor that they share.
function plotFrame(width) {
	const axis = { stroke: colour("dim"), grid: { stroke: colour("line"), width: 1 },
		ticks: { stroke: colour("line"), width: 1 } };
	return {
		width, height: PLOT_HEIGHT,
		scales: { x: { time: false }, y: { range: fromZero } },
		axes: [{ ...axis, values: (_, all) => all.map(v => v + " s") },
			{ ...axis, size: AXIS_WIDTH, values: (_, all) => all.map(si) }],
		cursor: { sync: { key: "t" }, points: { size: 6 } },
		legend: { live: true },
	};
}

function plotOptions(session, figure, rows, width, onDraw) {
	const series = [{ label: "s", value: (_, v) => v === null ? "–" : v.toFixed(2) }], bands = [];
	let n = 0;
	for (const row of rows) {
		const isFirst = session.rows[rows[0].row].by;
		const show = session.rows[row.row].by === isFirst;
		const stroke = colour("s" + n++ % 8), label = session.rows[row.row].name;
		series.push({ label, stroke, width: 1.5, show, spanGaps: false, value: (_, v) => si(v) });
		if (!row.min)
			continue;
		const edge = { show, stroke: "transparent", width: 0, points: { show: false }, label: "" };
		series.push({ ...edge, class: "edge" }, { ...edge, class: "edge" });
		bands.push({ series: [series.length - 1, series.length - 2], fill: stroke + "30" });
	}
	return {
		...plotFrame(width), series, bands,
		hooks: {
			draw: [plot => drawAnnotations(plot, session), onDraw],
			setSeries: [(plot, i, what) => toggleEdges(plot, i, what)],
		},
	};
}

// The band of a line comes and goes with it.
function toggleEdges(plot, i, what) {
	if (i === null || what.show === undefined || plot.series[i].class === "edge")
		return;
	for (let k = i + 1; k < plot.series.length && plot.series[k].class === "edge"; k++)
		if (plot.series[k].show !== what.show)
			plot.setSeries(k, { show: what.show });
}

function plotData(session, rows) {
	const data = [session.t];
	for (const row of rows) {
		data.push(withGaps(session, values(row, "mean")));
		if (row.min)
			data.push(values(row, "min"), values(row, "max"));
	}
	return data;
}

// A line is not drawn over time that nobody watched.
function withGaps(session, all) {
	if (!session.gaps.length)
		return all;
	const cut = all.slice();
	for (const i of session.gaps)
		if (i > 0)
			cut[i - 1] = null;
	return cut;
}

const mix = (a, b, share) => a.map((v, i) => Math.round(v + (b[i] - v) * share));
const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));

// Cores × time, on the same time axis as the plot above.
function drawHeat(card) {
	const { session, figure, plot, heat } = card;
	const cores = figure.series.filter(s => session.rows[s.row].by === "core");
	heat.hidden = card.low.parentNode.hidden = cores.length < 2;
	if (heat.hidden)
		return;
	const ratio = devicePixelRatio, width = plot.width;
	const rowHeight = Math.max(3, Math.min(16, Math.floor(320 / cores.length)));
	heat.width = width * ratio;
	heat.height = rowHeight * cores.length * ratio;
	heat.style.width = width + "px";
	heat.style.height = rowHeight * cores.length + "px";
	const low = Math.min(...cores.map(s => s.low)), high = Math.max(...cores.map(s => s.high));
	const cold = rgb(colour("cold")), hot = rgb(colour("hot")), none = colour("none");
	const ctx = heat.getContext("2d"), t = session.t;
	ctx.scale(ratio, ratio);
	ctx.font = `${Math.min(11, rowHeight)}px system-ui, sans-serif`;
	ctx.textBaseline = "middle";
	const left = plot.bbox.left / ratio, right = left + plot.bbox.width / ratio;
	const at = s => Math.min(right, Math.max(left, plot.valToPos(s, "x") + left));
	cores.forEach((core, row) => {
		const mean = values(core, "mean"), y = row * rowHeight;
		if (rowHeight >= 8 || row % Math.ceil(9 / rowHeight) === 0) {
			ctx.fillStyle = colour("dim");
			ctx.fillText(session.rows[core.row].name, 0, y + rowHeight / 2, left - 4);
		}
		for (let i = 0; i < t.length; i++) {
			const x = at(i ? t[i - 1] : 2 * t[0] - (t[1] ?? 0)), end = at(t[i]);
			if (end <= x)
				continue;
			ctx.fillStyle = mean[i] === null ? none
				: `rgb(${mix(cold, hot, high > low ? (mean[i] - low) / (high - low) : .5)})`;
			ctx.fillRect(x, y, end - x + .5, rowHeight - (rowHeight > 4 ? 1 : 0));
		}
	});
	card.cores = cores;
	card.rowHeight = rowHeight;
	card.low.textContent = si(low);
	card.high.textContent = si(high);
}

function nearest(t, wanted) {
	let i = t.findIndex(v => v >= wanted);
	return i < 0 ? t.length - 1 : i;
}

function pointAt(card, event) {
	const { plot, session } = card;
	const left = plot.bbox.left / devicePixelRatio;
	const i = nearest(session.t, plot.posToVal(event.offsetX - left, "x"));
	const core = card.cores[Math.floor(event.offsetY / card.rowHeight)];
	if (core)
		card.at.textContent = `${session.rows[core.row].name} at ${session.t[i].toFixed(2)} s: ` +
			`${si(values(core, "mean")[i])} ${unitOf(card.figure)}`;
}

function drawLines(card) {
	const { session, figure } = card;
	const rows = lines(session, figure), width = Math.max(280, card.body.clientWidth);
	card.plot?.destroy();
	card.plot = new uPlot(plotOptions(session, figure, rows, width, plot => {
		if (card.plot === plot)
			drawHeat(card);
	}), plotData(session, rows), card.body);
	for (const row of card.body.querySelectorAll(".u-legend .u-series.edge"))
		row.hidden = true;
	card.unit.textContent = unitOf(figure);
}

function addCard(session, all, figure, before) {
	const box = document.createElement("div"), card = { session, figure, draw: drawLines };
	box.className = "card";
	before.before(box);
	const bar = make("div", box);
	bar.className = "bar";
	const choice = make("select", bar);
	choice.setAttribute("aria-label", "what is drawn");
	all.forEach((f, i) => {
		const option = make("option", choice, f.name);
		option.value = i;
		option.selected = f === figure;
	});
	card.unit = make("span", bar);
	const remove = make("button", bar, "✕");
	remove.title = "remove this plot";
	const scale = make("span", bar);
	scale.className = "scale";
	card.low = make("span", scale);
	make("b", scale);
	card.high = make("span", scale);
	card.at = make("span", bar);
	card.body = make("div", box);
	card.heat = make("canvas", box);
	card.heat.className = "heat";
	choice.onchange = () => { card.figure = all[choice.value]; card.draw(card); };
	remove.onclick = () => { card.plot.destroy(); box.remove(); cards.splice(cards.indexOf(card), 1); };
	card.heat.onmousemove = event => pointAt(card, event);
	cards.push(card);
	card.draw(card);
}

// Commands one upon the other, the largest below; the legend has their own values.
function drawStack(card) {
	const { session, stack } = card, raw = stack.values.map(v => unpack(v, 0, stack.high));
	const series = [{ label: "s", value: (_, v) => v === null ? "–" : v.toFixed(2) }], bands = [];
	const sums = [session.t];
	raw.forEach((all, i) => {
		const stroke = colour("s" + i % 8), fill = stroke + "a0", below = sums[i];
		sums.push(all.map((v, at) => v === null ? null : v + (i ? below[at] : 0)));
		series.push({ label: stack.names[i], stroke, width: 1, points: { show: false }, fill: i ? undefined : fill,
			value: (_, v, k, at) => at === null || at === undefined ? "–" : si(all[at]) });
		if (i)
			bands.push({ series: [i + 1, i], fill });
	});
	card.plot?.destroy();
	card.plot = new uPlot({
		...plotFrame(Math.max(280, card.body.clientWidth)), series, bands,
		hooks: { draw: [plot => drawAnnotations(plot, session)] },
	}, sums.map((all, i) => i ? withGaps(session, all) : all), card.body);
	card.unit.textContent = (stack.unit || "events") + "/s";
}

function startStacks(place) {
	const session = sessions[place.dataset.session], { stacks } = session;
	if (session.t.length < 2 || !stacks.length)
		return;
	const card = { session, stack: stacks[0], draw: drawStack };
	const box = make("div", place), bar = make("div", box), choice = make("select", bar);
	box.className = "card";
	bar.className = "bar";
	choice.setAttribute("aria-label", "what is drawn");
	stacks.forEach((stack, i) => { make("option", choice, `${stack.type} ${stack.name}`).value = i; });
	card.unit = make("span", bar);
	card.body = make("div", box);
	choice.onchange = () => { card.stack = stacks[choice.value]; drawStack(card); };
	cards.push(card);
	drawStack(card);
}

function start(place) {
	const session = sessions[place.dataset.session], all = figures(session);
	if (session.t.length < 2 || !all.length) {
		make("p", place, "Too short for plots.");
		return;
	}
	const add = make("button", make("div", place), "+ plot");
	const metrics = all.filter(f => !f.rate);
	for (const figure of (metrics.length ? metrics : all).slice(0, FIRST_PLOTS))
		addCard(session, all, figure, add.parentNode);
	add.onclick = () => addCard(session, all, all[0], add.parentNode);
}

const redraw = () => cards.forEach(card => card.draw(card));
let resizing;

document.querySelectorAll(".plots").forEach(start);
document.querySelectorAll(".stacks").forEach(startStacks);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
matchMedia("print").addEventListener("change", redraw);
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach(d => { d.open = true; }));
addEventListener("resize", () => { clearTimeout(resizing); resizing = setTimeout(redraw, 150); });
// For tests: how many plots there are, how many do not begin at zero, how many cells are cut, and how
// long the page took until they were drawn, which is in microtasks before this one.
const isCut = cell => cell.scrollWidth > cell.clientWidth && getComputedStyle(cell).overflow !== "visible";
queueMicrotask(() => Object.assign(document.documentElement.dataset, {
	plots: cards.length,
	afloat: cards.filter(card => card.plot.scales.y.min !== 0).length,
	cut: [...document.querySelectorAll("th, td")].filter(isCut).length,
	readyMs: Math.round(performance.now()),
}));
})();
