import type { ComponentChildren } from "preact";
import { MINUTE_MS } from "../../core/domain/interval.js";
import { headlineOf } from "../../plan/headline.js";
import { reasonText } from "../../plan/reason-text.js";
import { textsOf } from "../../texts/index.js";
import { DataTable } from "../ui/table.js";
import { chartBars } from "./chart-bars.js";
import { ChartSvg, PriceLegend } from "./chart-svg.js";
import { SocForm } from "./override-forms.js";
import { PastCommands } from "./past-commands.js";
import { chartHours, headlineFacts, isAllIn, type PartProps } from "./view.js";

/** What the battery does now and why, then its next charging from the grid. */
export function Headline({ house, format }: PartProps) {
  const { sentence, isCharging, reason, ahead } = headlineOf(headlineFacts(house), format);
  const { details } = textsOf(format.language).dashboard.headline;
  const worthCt = reason?.figures.valueCtKwh;
  return (
    <>
      <p class={isCharging ? "headline charging" : "headline"}>{`${sentence}.`}</p>
      {reason !== undefined && <p>{reasonText(reason, format)}</p>}
      {ahead !== undefined && (
        <p class="muted">{`${ahead.sentence}.${ahead.reason === undefined ? "" : ` ${reasonText(ahead.reason, format)}`}`}</p>
      )}
      {worthCt !== undefined && (
        <details id="headline-details">
          <summary>{details.title}</summary>
          <p class="muted">{details.worth(format.number(worthCt))}</p>
        </details>
      )}
    </>
  );
}

/** Length of the gauge's ring in units of its viewBox. */
const RING = 2 * Math.PI * 42;

/** The state of charge as a ring, with its age and freshness. */
export function SocGauge({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.soc;
  const last = house.live.soc_pct;
  if (last === undefined) {
    return (
      <Figure title={texts.title}>
        <p class="muted">{texts.none}</p>
      </Figure>
    );
  }
  const ageMinutes = Math.max(0, (house.now.getTime() - last.at.getTime()) / MINUTE_MS);
  const scalars = house.plan?.scalars;
  const warning =
    scalars?.dischargeReason === "telemetry_lost" ? texts.lost : scalars?.socStale ? texts.stale : undefined;
  const pct = Math.min(100, Math.max(0, last.value));
  return (
    <Figure title={texts.title}>
      <div class="gauge">
        <svg viewBox="0 0 100 100" role="img" aria-label={`${format.number(last.value, 0)} %`}>
          <circle class="ring" cx="50" cy="50" r="42" />
          <circle
            class={warning === undefined ? "level" : "level stale"}
            cx="50"
            cy="50"
            r="42"
            transform="rotate(-90 50 50)"
            stroke-dasharray={`${((pct / 100) * RING).toFixed(1)} ${RING.toFixed(1)}`}
          />
          <text x="50" y="57" text-anchor="middle">
            {`${format.number(last.value, 0)} %`}
          </text>
        </svg>
        <div>
          <p class="muted">{ageMinutes < 1 ? texts.now : texts.age(format.minutes(ageMinutes))}</p>
          {warning !== undefined && (
            <>
              <p class="state degraded">{warning}</p>
              <SocForm house={house} format={format} />
            </>
          )}
        </div>
      </div>
    </Figure>
  );
}

/** The current price and its quartile of the day. */
export function PriceNow({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.price;
  const scalars = house.plan?.scalars;
  const priceCtKwh = scalars?.currentPriceCtKwh ?? chartHours(house, 1)[0]?.priceCtKwh;
  return (
    <Figure title={texts.title}>
      <p class="big">{`${format.number(priceCtKwh)} ct/kWh`}</p>
      {scalars !== undefined && <p>{texts.quartiles[scalars.currentQuartile]}</p>}
      <p class="muted">{isAllIn(house) ? texts.allIn : texts.market}</p>
    </Figure>
  );
}

/** The chart with its legend, and its data as a table. */
export function Chart({ house, format, count }: PartProps & { count: number }) {
  const texts = textsOf(format.language).dashboard;
  const hours = chartHours(house, count);
  const bars = chartBars(house, count);
  const hasPlan = house.plan !== undefined;
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move through its hours. */}
      <section id="chart" tabIndex={0} aria-label={texts.chart.title}>
        <ChartSvg house={house} bars={bars} size="wide" format={format} />
        <ChartSvg house={house} bars={bars} size="narrow" format={format} />
      </section>
      <p class="readout muted" aria-live="polite">
        {texts.chart.hint}
      </p>
      <PriceLegend format={format} hasPlan={hasPlan} />
      <details id="chart-table">
        <summary>{texts.chart.table}</summary>
        <DataTable
          caption={texts.chart.description}
          rows={hours}
          columns={(col) => [
            col.head(texts.chart.time, (hour) => format.span(hour, house.now)),
            col.number(
              texts.chart.price,
              ({ priceCtKwh, isForecast }) =>
                `${format.number(priceCtKwh)}${isForecast ? ` (${texts.chart.forecast})` : ""}`,
            ),
            ...(hasPlan
              ? [
                  col.text(texts.chart.action, ({ plan }) => plan && texts.does[plan.action]),
                  col.number(texts.chart.charge, ({ chargeKwh }) => format.number(chargeKwh)),
                  col.number(texts.chart.soc, ({ socEndPct }) => format.number(socEndPct, 0)),
                  col.number(texts.chart.pv, ({ pvKw }) => format.number(pvKw)),
                  col.number(texts.chart.load, ({ loadKw }) => format.number(loadKw)),
                ]
              : []),
          ]}
        />
        <PastCommands house={house} format={format} />
      </details>
    </>
  );
}

/** Remaining calls of the key. */
export function QuotaPanel({ house, format }: PartProps) {
  const texts = textsOf(format.language).dashboard.quota;
  const { quota } = house;
  return (
    <Figure title={texts.title}>
      {quota === undefined ? (
        <p class="muted">–</p>
      ) : (
        <>
          <p class="big">{texts.left(format.number(quota.remaining, 0), format.number(quota.limit, 0))}</p>
          <p class="muted">
            {quota.remaining < quota.limit
              ? `${texts.resets(format.moment(quota.resetAt, house.now))} · `
              : ""}
            <a href="/settings/plan">{texts.more}</a>
          </p>
        </>
      )}
    </Figure>
  );
}

function Figure({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <>
      <h2>{title}</h2>
      {children}
    </>
  );
}
