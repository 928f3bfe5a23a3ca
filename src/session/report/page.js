// page.js: a report from its JSON: what was found; lines, stacks and heat maps over time; tables.
"use strict";
(() => {
const FIRST_PLOTS = 4, MANY_ROWS = 16, AXIS_WIDTH = 64, PLOT_HEIGHT = 220, PRINTED_HEIGHT = 140, MAX_TASKS = 5, MAX_FUNCTIONS = 12;
const FLAT = .02, PRINTED_ROWS = 36; // of the figures' tables together
const read = id => JSON.parse(document.getElementById(id).textContent);
const report = read("report"), plots = read("plots"), main = document.querySelector("main");
const cards = [];

const make = (tag, parent, text, name) => {
	const node = document.createElement(tag);
	if (text !== undefined)
		node.textContent = text;
	if (name)
		node.className = name;
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
	return Number.isInteger(value) ? String(value) : size >= 1e-3 ? value.toPrecision(4) : value.toExponential(2);
}

const short = value => si(value).replace(/(\.\d*?)0+(\D?)$/, "$1$2").replace(/\.(\D?)$/, "$1"); // 0.5, not 0.5000

// 18 bits of the range from low to high; 0: no value.
function unpack(packed, low, high) {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	return packed.match(/.../g).map(three => {
		const code = [...three].reduce((sum, digit) => 64 * sum + digits.indexOf(digit), 0);
		return code ? low + (code - 1) / 262142 * (high - low) : null;
	});
}

// Of a series: "mean", "min" or "max"; where only one interval was, all three are the same.
function values(series, which) {
	series.cache ??= {};
	return series.cache[which] ??= unpack(series[which] ?? series.mean, series.low, series.high);
}

// What can be chosen: every name once, metrics first, of several that are the same only one.
function figures(session, is) {
	const metrics = is.rows.flatMap(row => row.metrics), names = all => new Set(all.map(m => m.metric));
	const same = names(metrics.filter(m => m.same_as)), own = names(metrics.filter(m => !m.same_as)), all = new Map();
	for (const series of session.series.filter(s => s.rate || !same.has(s.name) || own.has(s.name))) {
		const key = series.rate + series.name;
		if (!all.has(key))
			all.set(key, { name: series.name, rate: series.rate, unit: series.unit, series: [] });
		all.get(key).series.push(series);
	}
	return [...all.values()].sort((a, b) => a.rate - b.rate);
}

const coresOf = figure => figure.series.filter(s => s.by === "core");
const unitOf = figure => figure.rate ? (figure.unit || "events") + "/s" : figure.unit;

// Ticks above the plot; their tooltips say what happened, at one place together.
function drawTicks(plot, session) {
	const { min, max } = plot.scales.x, ticks = new Map();
	plot.over.querySelectorAll(".tick").forEach(tick => tick.remove());
	for (const is of report.sessions[session.number].history.filter(h => h.t_s >= min && h.t_s <= max)) {
		const x = Math.round(plot.valToPos(is.t_s, "x") / 4) * 4;
		if (!ticks.has(x)) {
			ticks.set(x, make("b", plot.over, undefined, "tick"));
			ticks.get(x).style.left = x - 3 + "px";
		}
		if (is.what === "mark")
			ticks.get(x).classList.add("mark");
		ticks.get(x).title += `${is.t_s.toFixed(3)} s ${is.what}: ${is.text}\n`;
	}
}

// Types and clusters are drawn; a few cores can be, by their name in the legend.
function lines(figure) {
	const cores = coresOf(figure), rows = figure.series.filter(s => !cores.includes(s));
	return rows.length && cores.length > MANY_ROWS ? rows : rows.concat(cores);
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
		width, height: matchMedia("print").matches ? PRINTED_HEIGHT : PLOT_HEIGHT,
		scales: { x: { time: false }, y: { range: fromZero } },
		axes: [{ ...axis, values: (_, all) => all.map(v => v + " s") },
			{ ...axis, size: AXIS_WIDTH, values: (_, all) => all.map(short) }],
		cursor: { sync: { key: "t" }, points: { size: 6 } },
		legend: { live: true },
	};
}

function plotOptions(session, figure, rows, width, onDraw) {
	const series = [{ label: "s", value: (_, v) => v === null ? "–" : v.toFixed(2) }], bands = [];
	for (const [i, row] of rows.entries()) {
		const show = row.by === rows[0].by, stroke = colour("s" + i % 8);
		series.push({ label: row.row, stroke, width: 1.5, show, spanGaps: false, value: (_, v) => si(v) });
		if (!row.min)
			continue;
		const edge = { show, stroke: "transparent", width: 0, points: { show: false }, label: "" };
		series.push({ ...edge, class: "edge" }, { ...edge, class: "edge" });
		bands.push({ series: [series.length - 1, series.length - 2], fill: stroke + "30" });
	}
	return {
		...plotFrame(width), series, bands,
		hooks: {
			draw: [plot => drawTicks(plot, session), onDraw],
			setSeries: [toggleEdges],
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
const withGaps = (session, all) => all.map((value, i) => session.gaps.includes(i + 1) ? null : value);

const mix = (a, b, share) => a.map((v, i) => Math.round(v + (b[i] - v) * share));
const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));

// Cores × time, on the same time axis as the plot above.
function drawHeat(card) {
	const { session, what: figure, plot, heat } = card;
	const cores = coresOf(figure);
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
	const isFlat = high - low < FLAT * Math.max(Math.abs(low), Math.abs(high)); // 100 to 100.2 is no range
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
			ctx.fillText(core.row, 0, y + rowHeight / 2, left - 4);
		}
		for (let i = 0; i < t.length; i++) {
			const x = at(i ? t[i - 1] : 2 * t[0] - (t[1] ?? 0)), end = at(t[i]);
			if (end <= x)
				continue;
			ctx.fillStyle = mean[i] === null ? none
				: `rgb(${mix(cold, hot, isFlat ? .5 : (mean[i] - low) / (high - low))})`;
			ctx.fillRect(x, y, end - x + .5, rowHeight - (rowHeight > 4 ? 1 : 0));
		}
	});
	card.cores = cores;
	card.rowHeight = rowHeight;
	card.low.textContent = isFlat ? "all " + si(low) : si(low);
	card.high.textContent = isFlat ? "" : si(high);
}

function pointAt(card, event) {
	const { plot, session } = card;
	const left = plot.bbox.left / devicePixelRatio;
	const i = plot.posToIdx(event.offsetX - left);
	const core = card.cores[Math.floor(event.offsetY / card.rowHeight)];
	if (core)
		card.at.textContent = `${core.row} at ${session.t[i].toFixed(2)} s: ` +
			`${si(values(core, "mean")[i])} ${unitOf(card.what)}`;
}

function drawLines(card) {
	const { session, what: figure } = card;
	const rows = lines(figure), width = Math.max(280, card.body.clientWidth);
	card.plot?.destroy();
	card.plot = new uPlot(plotOptions(session, figure, rows, width, plot => {
		if (card.plot === plot)
			drawHeat(card);
	}), plotData(session, rows), card.body);
	for (const row of card.body.querySelectorAll(".u-legend .u-series.edge"))
		row.hidden = true;
	card.unit.textContent = unitOf(figure);
}

// A card with a list of what it can draw. @all  [name, what to draw]
function makeCard(parent, session, all, first, draw) {
	const box = make("div", parent, undefined, "card"), bar = make("div", box, undefined, "bar");
	const card = { session, draw, box, bar, what: first }, choice = make("select", bar);
	choice.setAttribute("aria-label", "what is drawn");
	all.forEach(([name, what], i) => {
		const option = make("option", choice, name);
		option.value = i;
		option.selected = what === first;
	});
	card.unit = make("span", bar);
	card.body = make("div", box);
	choice.onchange = () => { card.what = all[choice.value][1]; draw(card); };
	cards.push(card);
	return card;
}

function addCard(parent, session, all, figure, before) {
	const card = makeCard(parent, session, all.map(f => [f.name, f]), figure, drawLines);
	before.before(card.box);
	const remove = make("button", card.bar, "✕"), scale = make("span", card.bar, undefined, "scale");
	remove.title = "remove this plot";
	card.low = make("span", scale);
	make("b", scale);
	card.high = make("span", scale);
	card.at = make("span", card.bar);
	card.heat = make("canvas", card.box, undefined, "heat");
	remove.onclick = () => { card.plot.destroy(); card.box.remove(); cards.splice(cards.indexOf(card), 1); };
	card.heat.onmousemove = event => pointAt(card, event);
}

// Values one upon the other, the largest below, where none is missing; the legend has their own.
function drawStack(card) {
	const { session, what: stack } = card, raw = stack.raw(), isWhole = at => raw.every(all => all[at] !== null);
	const series = [{ label: "s", value: (_, v) => v === null ? "–" : v.toFixed(2) }], bands = [];
	const sums = [session.t];
	raw.forEach((all, i) => {
		const stroke = colour("s" + i % 8), fill = stroke + "a0", below = sums[i];
		sums.push(all.map((v, at) => isWhole(at) ? v + (i ? below[at] : 0) : null));
		series.push({ label: stack.names[i], stroke, width: 1, points: { show: false }, fill: i ? undefined : fill,
			value: (_, v, k, at) => at === null || at === undefined ? "–" : si(all[at]) });
		if (i)
			bands.push({ series: [i + 1, i], fill });
	});
	card.plot?.destroy();
	card.plot = new uPlot({
		...plotFrame(Math.max(280, card.body.clientWidth)), series, bands,
		hooks: { draw: [plot => drawTicks(plot, session)] },
	}, sums.map((all, i) => i ? withGaps(session, all) : all), card.body);
	card.unit.textContent = stack.unit;
}

function addStacks(parent, session, all) {
	if (session.t.length > 1 && all.length)
		makeCard(parent, session, all, all[0][1], drawStack);
}

// Where the cycles of each core type went, if their parts were counted.
function addParts(parent, session, is) {
	const series = session.series.filter(s => s.by === "type" && !s.rate);
	for (const row of new Set(series.map(s => s.row))) {
		const of = is.parts.map(part => series.find(s => s.row === row && s.name === part.metric));
		if (of.length && of.every(one => one))
			addStacks(parent, session, [["where cycles went: " + row, { unit: of[0].unit,
				names: is.parts.map(part => part.name), raw: () => of.map(one => values(one, "mean")) }]]);
	}
}

function addPlots(parent, is, session) {
	const all = figures(session, is), place = make("div", parent, undefined, "plots");
	if (session.t.length < 2 || !all.length) {
		make("p", place, "Too short for plots.");
		return;
	}
	addParts(place, session, is);
	const add = make("button", place, "+ plot"), card = figure => addCard(place, session, all, figure, add);
	const metrics = all.filter(f => !f.rate);
	for (const figure of (metrics.length ? metrics : all).slice(0, FIRST_PLOTS))
		card(figure);
	add.onclick = () => { card(all[0]); redraw(); };
}

// ---- tables: a column is [title, text or node of a row's cell, class or function of the row] ----

const mark = is => ({ partial: ">", scaled: "~" })[is.quality] ?? "";
const fixed = (value, digits, unit = "") => value === null ? "–" : value.toFixed(digits) + unit;
const signed = (value, text) => value === null ? "–" : (value > 0 ? "+" : "") + text;
const perS = is => is.unit ? is.unit + "/s" : "/s";
const spread = ["p50", "p95", "p99", "min", "max"].map(key => [key, is => si(is[key])]);

function newTable(parent, name) {
	return make("table", make("div", parent, undefined, "wide"), undefined, name);
}

function details(parent, title, small, isOpen = true) {
	const box = make("details", parent);
	box.open = isOpen;
	const summary = make("summary", box, title + " ");
	make("i", summary, small);
	return box;
}

// @none  text instead of a row's cells, after the name; "" if it has them  @printed  rows on paper
function fill(table, columns, rows, none = () => "", printed = 12) {
	const heading = make("tr", table);
	for (const [title, , name] of rows.length ? columns : [])
		make("th", heading, title, typeof name === "string" ? name : "").scope = "col";
	rows.forEach((row, i) => {
		const line = make("tr", table, undefined, i < printed ? "" : "more"), instead = none(row);
		columns.forEach(([, text, name], k) => {
			if (instead && k && k < columns.length - 1) {
				if (k === 1)
					make("td", line, instead, "none").colSpan = columns.length - 2;
				return;
			}
			const cell = make(k ? "td" : "th", line, undefined, typeof name === "function" ? name(row) : name);
			cell.append(text(row) ?? "");
			if (!k)
				Object.assign(cell, { scope: "row", title: row.brief ?? "" });
		});
	});
}

function named(row, synonyms = []) {
	const name = make("span", document.createDocumentFragment(), row.event ?? row.metric), unit = row.label ?? row.unit;
	name.append(" ");
	make("i", name, unit);
	if (synonyms.length)
		make("i", make("div", name), "= " + synonyms.map(s => s.metric).join(", "));
	return name;
}

function total(is) {
	if (is.total === null)
		return "–";
	return mark(is) + (is.quality === "scaled" || is.unit ? Math.round(is.total) : is.counted);
}

function counted(is) {
	const { error_pct: above, error_below_pct: below, total: of } = is;
	const error = below !== undefined ? ` ${si(of * (1 - below / 100))}–${si(of * (1 + above / 100))}`
		: above ? ` ±${above.toFixed(above < 9.95 ? 1 : 0)} %` : "";
	return (is.quality === "partial" ? "" : mark(is)) + fixed(is.counted_pct, 1, " %") + error;
}

const bad = is => Object.entries(is.intervals).filter(([key]) => !["ok", "partial", "scaled"].includes(key))
	.map(([key, n]) => `${n} ${key}`).join(", ");

function notCounted(is) {
	if ((is.metric ? is.value : is.total) !== null || is.intervals.ok || is.intervals.scaled)
		return "";
	return is.intervals.not_supported ? "not supported" : "not counted";
}

function beyond(is) {
	const n = (is.intervals.ok ?? 0) + (is.intervals.partial ?? 0) + (is.intervals.scaled ?? 0);
	return is.intervals_beyond === undefined || !n ? "" : fixed(100 * is.intervals_beyond / n, 1, " %");
}

// "0-3,7"
function cpuList(row) {
	const runs = [];
	for (const cpu of row?.cpus ?? [])
		if (runs.length && runs.at(-1)[1] === cpu - 1)
			runs.at(-1)[1] = cpu;
		else
			runs.push([cpu, cpu]);
	const list = runs.map(([a, b]) => a === b ? a : `${a}-${b}`).join(",");
	return list && row.by !== "core" ? "cpu " + list : "";
}

const isBeyond = is => is.threshold === "beyond";
const eventColumns = [["event", is => named(is)], ["total", total],
	["mean/s", is => (is.mean_per_s === null ? "" : mark(is)) + si(is.mean_per_s)], ...spread, ["counted", counted], ["", bad, "bad"]];

function addFigures(parent, is) {
	const printed = PRINTED_ROWS / (is.tasks ? 4 : 2) / new Set(is.rows.map(row => row.type)).size;
	for (const row of is.rows) {
		const table = newTable(details(parent, row.name, cpuList(row), row.by === "type"), "figures");
		fill(table, eventColumns, row.events, notCounted, printed);
		fill(table, [["metric", m => named(m, row.metrics.filter(s => s.same_as === m.metric))], ["", () => ""],
			["session", m => (isBeyond(m) ? "▲ " : "") + (m.value === null ? "" : mark(m)) + si(m.value), m => isBeyond(m) ? "beyond" : ""],
			...spread, ["beyond", beyond], ["", bad, "bad"]], row.metrics.filter(m => !m.same_as), notCounted, printed);
	}
	note(parent, "Rates are per second; p50, p95, p99, min and max are those of intervals. Metrics of the session are " +
		"calculated from its summed counts, never averaged. ~ estimate: counted part of the time. ▲ beyond its threshold. " +
		"Levels of more than 64 rows need --by.");
}

const note = (parent, text) => make("p", parent, text, "note");
const explain = (parent, id) => parent.append(document.getElementById(id).content.cloneNode(true));

function addExplained(parent, is) {
	for (const row of is.rows.filter(r => r.explained?.length)) {
		fill(newTable(details(parent, row.name, "")), [["event", e => e.event], ["/Kinst", e => si(e.per_kinst)],
			["±", e => e.per_kinst && e.per_kinst_error !== null ? fixed(100 * e.per_kinst_error / e.per_kinst, 1, " %") : "–"], ["peak", e => si(e.peak)],
			["CPI", e => fixed(e.share_pct, 0, " %")],
			["95 %", e => e.share_low_pct === null ? "–" : `${e.share_low_pct.toFixed(0)}-${e.share_high_pct.toFixed(0)} %`],
			["cycles", e => si(e.cycles)]], row.explained);
		if (row.preset)
			note(parent, `-P ${row.preset} counts most of what explains CPI together`);
	}
	explain(parent, "explained");
}

function taskTable(parent, figure, title, all) {
	fill(newTable(parent, "tasks"), [[title, t => [t.command ?? t.cgroup, t.pid].filter(w => w).join(" ")],
		["total", t => total({ ...t, unit: figure.unit })], ["share", t => fixed(t.share_pct, 1, " %")],
		["mean/s", t => mark(t) + si(t.mean_per_s)]], all.slice(0, MAX_TASKS));
}

function addTasks(parent, is, session) {
	addStacks(make("div", parent, undefined, "plots"), session, session.stacks.map(s => [`${s.type} ${s.name}`,
		{ names: s.names, unit: perS(s), raw: () => s.values.map(v => unpack(v, 0, s.high)) }]));
	for (const type of new Set(is.tasks.map(t => t.type))) {
		const box = details(parent, type, "");
		for (const figure of is.tasks.filter(t => t.type === type && t.commands.length)) {
			const line = make("div", box, undefined, "beside");
			taskTable(line, figure, `${figure.event} ${figure.unit}`, figure.commands);
			taskTable(line, figure, "of processes", figure.processes);
			if (figure.cgroups?.length)
				taskTable(line, figure, "of cgroups", figure.cgroups);
		}
	}
}

const functionName = f => `${f.kernel ? "k " : ""}${f.function} ${f.object[0] === "[" ? f.object : `[${f.object}]`}`;

function addFunctions(parent, is) {
	for (const of of is.functions) {
		const box = details(parent, `${of.type} ${of.event}`, `${of.samples} samples`);
		const meter = f => Object.assign(document.createElement("meter"), { max: of.functions[0].share_pct, value: f.share_pct });
		fill(newTable(box, "functions"), [["", meter], ["share", f => fixed(f.share_pct, 1, " %")],
			["error", f => "±" + fixed(f.error_pct, 1)], ["total", f => Math.round(f.total)],
			["function", functionName, "name"]], of.functions.slice(0, MAX_FUNCTIONS));
		if (of.functions.length > MAX_FUNCTIONS)
			make("p", box, `and ${of.functions.length - MAX_FUNCTIONS} more`);
	}
	note(parent, "Totals were counted; how they divide into functions is estimated from samples: 95 of 100 true " +
		"shares are within the error.");
}

function addSensors(parent, is) {
	fill(newTable(parent), [["", s => s.sensor], ...["mean", "min", "max"].map(key => [key, s => fixed(s[key], 2)]),
		["", s => s.unit]], is.sensors.filter(s => s.mean !== null));
}

function addHistory(parent, is) {
	fill(newTable(parent, "annotations"), [["s", h => h.t_s.toFixed(3)], ["", h => h.what], ["", h => h.text]], is.history);
	if (is.history_left_out)
		make("p", parent, `and ${is.history_left_out} more`);
}

function addOwn(parent, { own }) {
	make("p", parent, !own ? "not measured" : `${fixed(own.core_pct, 3)} % of the core it loads most (maximum ` +
		`${fixed(own.core_pct_max, 3)} %), ${fixed(own.total_pct, 3)} % of one core in total (maximum ` +
		`${fixed(own.total_pct_max, 3)} %); ${fixed(own.wakeups_s, 1)} wake-ups/s, late by ` +
		`${fixed(own.late_p99_us_max, 0)} us in the worst second (99th percentile); ${own.dropped} samples dropped`);
}

// ---- two sessions ----

const verdicts = { "too few": "unknown", "within error": "error", "within spread": "within", "beyond spread": "beyond" };
const changes = [["first", d => mark({ quality: d.first_quality }) + si(d.first)],
	["second", d => mark({ quality: d.second_quality }) + si(d.second)], ["change", d => signed(d.change, si(d.change))],
	["%", d => signed(d.change_pct, fixed(d.change_pct, 2))], ["spread", d => si(d.spread)], ["error", d => si(d.error)],
	["", d => d.verdict, d => "verdict-" + verdicts[d.verdict]]];

// Call with each group of neighbours that have the same key.
function eachGroup(all, key, call) {
	for (const is of new Set(all.map(key)))
		call(all.filter(one => key(one) === is));
}

function addDifferences(parent) {
	if (!report.same_machine)
		make("p", parent, "not the same machine: compared only by core type", "remark");
	eachGroup(report.comparison, d => d.row, all => {
		const row = report.sessions[0].rows.find(r => r.name === all[0].row);
		fill(newTable(details(parent, all[0].row, cpuList(row), all[0].by === "type")),
			[["", d => named({ ...d, label: d.event ? perS(d) : d.unit })], ...changes], all);
	});
	if (report.commands)
		make("h3", parent, "Who had most of it");
	eachGroup(report.commands ?? [], d => `${d.type} ${d.event}`, all =>
		fill(newTable(parent, "tasks"), [[`${all[0].type} ${all[0].event}/s`, d => d.command], ...changes], all));
	eachGroup(report.functions ?? [], d => `${d.type} ${d.event}`, all =>
		fill(newTable(details(parent, `${all[0].type} ${all[0].event}`, "functions that differ beyond their error"), "functions"),
			[["first", d => fixed(d.first_pct, 1, " %"), "share"], ["second", d => fixed(d.second_pct, 1, " %")],
				["error", d => "±" + fixed(d.error_pct, 1)], ["function", functionName, "name"]], all));
	if (report.functions && !report.functions.length)
		make("p", parent, "No function differs beyond its error.");
	for (const which of ["first", "second"])
		if (report["only_" + which].length)
			make("p", parent, `only in the ${which}: ` + report["only_" + which].join(", "), "remark");
	explain(parent, "verdicts");
}

// ---- the page ----

const parts = [
	["plots", "Over time", addPlots, () => true],
	["tasks", "Who had most of it", addTasks, is => is.tasks],
	["functions", "In which functions", addFunctions, is => is.functions],
	["explained", "What explains the cycles per instruction", addExplained, is => is.rows.some(r => r.explained?.length)],
	["figures", "Figures", addFigures, () => true],
	["sensors", "Power, heat, fans", addSensors, is => is.sensors],
	["annotations", "What happened", addHistory, is => is.history.length],
	["own", "m1top's own cost", addOwn, () => true],
];

function section(id, title, nav) {
	const place = make("section", main), item = make("li", nav);
	place.id = id;
	make("h2", place, title);
	link(item, id, title);
	return [place, item];
}

function link(item, id, title) {
	make("a", item, title).href = "#" + id;
	item.append(" ");
}

function addSession(is, i, nav) {
	const [place, item] = section("session-" + i, report.sessions.length > 1 ? `${["First", "Second"][i]}: ${is.title}` : is.title, nav);
	const length = `${is.duration_s.toFixed(1)} s in ${is.intervals} interval${is.intervals === 1 ? "" : "s"} of ${is.interval_ms} ms`;
	is.finding.forEach(finding => make("p", place, finding, "finding"));
	make("p", place, [is.host, is.kernel, is.machine, is.backend, is.started, length, is.file].join(" · "), "meta");
	is.remarks.forEach(remark => make("p", place, remark, "remark"));
	plots[i].number = i;
	for (const [id, title, add, has] of parts.filter(part => part[3](is))) {
		const box = make("div", place, undefined, "part-" + id);
		make("h3", box, title).id = `${id}-${i}`;
		link(item, `${id}-${i}`, title);
		add(box, is, plots[i]);
	}
}

function start() {
	const nav = make("ul", make("nav", main));
	nav.parentNode.setAttribute("aria-label", "Contents");
	if (report.comparison) {
		const [place] = section("differences", "What differs", nav);
		report.finding.forEach(finding => make("p", place, finding, "finding"));
		addDifferences(place);
	}
	report.sessions.forEach((is, i) => addSession(is, i, nav));
}

const redraw = () => cards.forEach(card => card.draw(card));
let resizing;

start();
redraw(); // when all cards are there, and have their widths
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
matchMedia("print").addEventListener("change", redraw);
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
