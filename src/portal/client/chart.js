import uPlot from "./uplot.js";

/**
 * The series that the chart shows: parallel lists, times in epoch seconds.
 * @typedef {object} ChartSeries
 * @property {number} hours
 * @property {boolean} has_plan
 * @property {number} end
 * @property {number[]} time
 * @property {(number | null)[]} price_ct_kwh
 * @property {(number | null)[]} soc_end_pct
 * @property {(number | null)[]} soc_p10_pct
 * @property {(number | null)[]} soc_p90_pct
 * @property {(number | null)[]} pv_kw
 * @property {(number | null)[]} load_kw
 * @property {number[]} charging
 * @property {{ price: string, soc: string, pv: string, load: string, description: string }} labels
 */

const PRICE_HEIGHT = 260;
const POWER_HEIGHT = 130;
/** Both plots leave the same room at their sides, so that their hours stand above one another. */
const AXIS_WIDTH = 52;
const SOC_AXIS_WIDTH = 50;
const NARROW_PX = 560;

/**
 * The chart with a cursor that names its values, in place of the still picture that the server sent. Draws anew on new
 * data, another size and another colour scheme.
 */
export class LiveChart {
  /** @type {uPlot[]} */
  #plots = [];
  /** @type {ChartSeries | undefined} */
  #series;
  #width = 0;
  /** @type {HTMLElement} */
  #element;
  /** @type {string} */
  #zone;
  /** @type {string} */
  #language;

  /**
   * @param {HTMLElement} element where it draws
   * @param {{ zone: string, language: string }} options
   */
  constructor(element, { zone, language }) {
    this.#element = element;
    this.#zone = zone;
    this.#language = language === "de" ? "de-AT" : "en-GB";
    new ResizeObserver(() => {
      if (Math.abs(this.#element.clientWidth - this.#width) > 1) this.#draw();
    }).observe(element);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
  }

  /** @param {ChartSeries} series */
  show(series) {
    this.#series = series;
    this.#draw();
  }

  #draw() {
    const series = this.#series;
    const width = this.#element.clientWidth;
    if (series === undefined || series.time.length === 0 || width === 0) return;
    this.#width = width;
    for (const plot of this.#plots) plot.destroy();
    const readout = document.createElement("p");
    readout.className = "muted";
    readout.textContent = " ";
    this.#element.replaceChildren();
    this.#element.setAttribute("role", "img");
    this.#element.setAttribute("aria-label", series.labels.description);
    const tell = (/** @type {number | null | undefined} */ index) => {
      // The plots end one place after the last hour, where that hour's values still hold.
      readout.textContent =
        index === null || index === undefined
          ? " "
          : this.#valuesAt(series, Math.min(index, series.time.length - 1));
    };
    this.#plots = [this.#pricePlot(series, width, tell)];
    if (series.has_plan) this.#plots.push(this.#powerPlot(series, width, tell));
    this.#element.append(readout);
  }

  /**
   * @param {ChartSeries} series
   * @param {number} index
   */
  #valuesAt(series, index) {
    const { labels } = series;
    const at = new Date((series.time[index] ?? 0) * 1000);
    const when = new Intl.DateTimeFormat(this.#language, {
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      timeZone: this.#zone,
    }).format(at);
    const values = [
      [labels.price, series.price_ct_kwh[index], 2],
      [labels.soc, series.soc_end_pct[index], 0],
      [labels.pv, series.pv_kw[index], 2],
      [labels.load, series.load_kw[index], 2],
    ].flatMap(([label, value, decimals]) =>
      typeof value === "number" ? [`${label} ${this.#number(value, Number(decimals))}`] : [],
    );
    return [when, ...values].join(" · ");
  }

  /**
   * @param {ChartSeries} series
   * @param {number} width
   * @param {(index: number | null | undefined) => void} tell
   */
  #pricePlot(series, width, tell) {
    const times = [...series.time, series.end];
    const stepped = uPlot.paths.stepped?.({ align: 1 });
    const socTimed = [null, ...series.soc_end_pct];
    // The SOC is that of the end of an hour: one place further than the price, which holds from its start.
    if (series.has_plan) socTimed[0] = series.soc_end_pct[0] ?? null;
    /** @type {uPlot.Options} */
    const options = {
      ...this.#common(width, PRICE_HEIGHT, tell),
      series: [
        {},
        {
          scale: "ct",
          stroke: colour("--price"),
          width: 2,
          ...(stepped ? { paths: stepped } : {}),
          points: { show: false },
        },
        { scale: "pct", stroke: colour("--soc"), width: 2, dash: [6, 3], points: { show: false } },
      ],
      scales: {
        x: { time: true },
        ct: { range: (_plot, low, high) => [Math.min(0, low * 1.1), Math.max(1, high * 1.1)] },
        pct: { range: [0, 100] },
      },
      axes: [
        this.#timeAxis(),
        this.#axis("ct", AXIS_WIDTH, 3, (value) => this.#number(value, value % 1 === 0 ? 0 : 1)),
        {
          ...this.#axis("pct", SOC_AXIS_WIDTH, 1, (value) => `${value} %`),
          grid: { show: false },
          show: series.has_plan,
        },
      ],
      hooks: {
        drawClear: [
          (plot) => {
            paintCharging(plot, series);
            if (series.has_plan) paintBand(plot, series);
          },
        ],
      },
    };
    const price = [...series.price_ct_kwh, series.price_ct_kwh.at(-1) ?? null];
    return new uPlot(options, [times, price, socTimed], this.#element);
  }

  /**
   * @param {ChartSeries} series
   * @param {number} width
   * @param {(index: number | null | undefined) => void} tell
   */
  #powerPlot(series, width, tell) {
    const times = [...series.time, series.end];
    const stepped = uPlot.paths.stepped?.({ align: 1 });
    const line = (/** @type {string} */ name) => ({
      scale: "kw",
      stroke: colour(name),
      width: 2,
      ...(stepped ? { paths: stepped } : {}),
      points: { show: false },
    });
    /** @type {uPlot.Options} */
    const options = {
      ...this.#common(width, POWER_HEIGHT, tell),
      series: [{}, line("--pv"), line("--load")],
      scales: { x: { time: true }, kw: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.1)] } },
      axes: [
        this.#timeAxis(),
        this.#axis("kw", AXIS_WIDTH, 3, (value) => `${this.#number(value, value % 1 === 0 ? 0 : 1)} kW`),
        { ...this.#axis("kw", SOC_AXIS_WIDTH, 1, () => ""), grid: { show: false }, ticks: { show: false } },
      ],
    };
    const last = (/** @type {(number | null)[]} */ list) => [...list, list.at(-1) ?? null];
    return new uPlot(options, [times, last(series.pv_kw), last(series.load_kw)], this.#element);
  }

  /**
   * @param {number} width
   * @param {number} height
   * @param {(index: number | null | undefined) => void} tell
   */
  #common(width, height, tell) {
    return {
      width,
      height,
      tzDate: (/** @type {number} */ at) => uPlot.tzDate(new Date(at * 1000), this.#zone),
      legend: { show: false },
      cursor: { sync: { key: "dashboard" }, drag: { x: false, y: false } },
      hooks: {},
      plugins: [{ hooks: { setCursor: (/** @type {uPlot} */ plot) => tell(plot.cursor.idx) } }],
    };
  }

  #timeAxis() {
    const weekday = new Intl.DateTimeFormat(this.#language, {
      weekday: "short",
      day: "numeric",
      timeZone: this.#zone,
    });
    const clock = new Intl.DateTimeFormat(this.#language, {
      hour: "2-digit",
      minute: "2-digit",
      timeZone: this.#zone,
    });
    return {
      ...this.#axis("x", 30, 2, () => ""),
      space: this.#width < NARROW_PX ? 64 : 80,
      values: (/** @type {uPlot} */ _plot, /** @type {number[]} */ splits) =>
        splits.map((at) => {
          const time = clock.format(new Date(at * 1000));
          return /^0?0:00|^24:00/.test(time) ? weekday.format(new Date(at * 1000)) : time;
        }),
    };
  }

  /**
   * @param {string} scale
   * @param {number} size
   * @param {0 | 1 | 2 | 3} side
   * @param {(value: number) => string} text
   */
  #axis(scale, size, side, text) {
    return {
      scale,
      size,
      side,
      stroke: colour("--muted"),
      font: "13px system-ui, sans-serif",
      grid: { stroke: colour("--line"), width: 1 },
      ticks: { stroke: colour("--line"), width: 1, size: 4 },
      values: (/** @type {uPlot} */ _plot, /** @type {number[]} */ splits) => splits.map(text),
    };
  }

  /**
   * @param {number} value
   * @param {number} decimals
   */
  #number(value, decimals) {
    return new Intl.NumberFormat(this.#language, {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    }).format(value);
  }
}

/**
 * The hours that charge from the grid, as a band behind the lines.
 * @param {uPlot} plot
 * @param {ChartSeries} series
 */
function paintCharging(plot, series) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = colour("--charge");
  ctx.globalAlpha = 0.25;
  for (const [index, charging] of series.charging.entries()) {
    if (charging !== 1) continue;
    const from = plot.valToPos(series.time[index] ?? 0, "x", true);
    const to = plot.valToPos(series.time[index + 1] ?? series.end, "x", true);
    ctx.fillRect(from, bbox.top, to - from, bbox.height);
  }
  ctx.restore();
}

/**
 * The area between P10 and P90 of the SOC, behind the lines; both hold at the end of an hour.
 * @param {uPlot} plot
 * @param {ChartSeries} series
 */
function paintBand(plot, series) {
  const { ctx } = plot;
  const corners = (/** @type {(number | null)[]} */ values) =>
    values.map((value, index) => [
      plot.valToPos(series.time[index + 1] ?? series.end, "x", true),
      plot.valToPos(value ?? 0, "pct", true),
    ]);
  ctx.save();
  ctx.fillStyle = colour("--soc");
  ctx.globalAlpha = 0.15;
  ctx.beginPath();
  for (const [x = 0, y = 0] of [...corners(series.soc_p10_pct), ...corners(series.soc_p90_pct).reverse()])
    ctx.lineTo(x, y);
  ctx.fill();
  ctx.restore();
}

/**
 * A colour of the stylesheet, for the scheme in force.
 * @param {string} name
 */
function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
