import { cheapestOf } from "../../api/documents/comparison.js";
import type { Site } from "../../config/site.js";
import { localDate } from "../../core/time/zone.js";
import { rankedEur } from "../../money/compare/compare-tariff.js";
import type { ComparisonRun } from "../../money/compare/service.js";
import { tariffPresets } from "../../tariff/presets.js";
import type { Format } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { Legend } from "../ui/chart.js";
import { Notice } from "../ui/form.js";
import { siteName } from "../ui/site-name.js";
import { DataTable } from "../ui/table.js";
import { CostChart, type CostKind } from "./chart.js";

interface ResultProps {
  context: SignedInContext;
  site: Site;
  run: ComparisonRun & { status: "done" };
  format: Format;
}

const KINDS: readonly CostKind[] = ["metered", "uncontrolled", "hourgate", "perfect", "noBattery"];

/** The costs of each tariff as a table and a chart, cheapest first. */
export function ComparisonResult({ context, site, run, format }: ResultProps) {
  const { compare: texts } = textsOf(context.language);
  const { suppliers } = tariffPresets();
  const cheapest = cheapestOf(run.rows);
  const rows = run.rows
    .toSorted((a, b) => rankedEur(a.cost) - rankedEur(b.cost))
    .map(({ name, cost }) => ({
      name,
      label: suppliers.find(({ id }) => id === name)?.name ?? texts.own,
      costs: {
        metered: cost.meteredEur,
        uncontrolled: cost.uncontrolledEur,
        hourgate: cost.hourgateEur,
        perfect: cost.perfectEur,
        noBattery: cost.noBatteryEur,
      },
    }));
  const { period, loadKwh, loadHoursMissing, pv, metered } = run.basis;
  const day = (at: Date) => format.date(localDate(at, format.zone));
  const kinds = KINDS.filter((kind) => rows.some(({ costs }) => costs[kind] !== null));
  return (
    <section class="card">
      <h2>{texts.result}</h2>
      <p>{`${siteName(site)}, ${texts.period(day(period.start), day(new Date(period.end.getTime() - 1)))}`}</p>
      {metered === undefined ? (
        <>
          <p>
            {`${texts.load(format.number(loadKwh, 0))} `}
            {loadHoursMissing > 0 && `${texts.loadMissing(format.number(loadHoursMissing, 0))} `}
            {texts.pv[pv]}
          </p>
          {!kinds.includes("hourgate") && <Notice kind="info">{texts.noBatteryNote}</Notice>}
        </>
      ) : (
        <>
          <p>
            {texts.metered.energies(format.number(metered.importKwh, 0), format.number(metered.exportKwh, 0))}
            {loadHoursMissing > 0 && ` ${texts.metered.missing(format.number(loadHoursMissing, 0))}`}
          </p>
          <Notice kind="info">
            <p>{texts.metered.why(metered.missing.map((reading) => texts.metered.readings[reading]))}</p>
            <p>
              <a href="/connect">{texts.metered.connect}</a>
            </p>
          </Notice>
        </>
      )}
      <DataTable
        caption={texts.caption}
        rows={rows}
        rowClass={({ name }) => (name === cheapest ? "cheapest" : undefined)}
        columns={(col) => [
          col.head(texts.tariff, ({ name, label }) => (
            <>
              {label}
              {name === cheapest && <strong class="mark">{` ${texts.cheapest}`}</strong>}
            </>
          )),
          ...kinds.map((kind) => col.number(texts.columns[kind], ({ costs }) => format.number(costs[kind]))),
        ]}
      />
      <Legend entries={kinds.map((kind) => [`cost ${kind}`, texts.columns[kind]] as const)} />
      <CostChart
        groups={rows.map(({ name, label, costs }) => ({
          label: name === cheapest ? `${label} (${texts.cheapest})` : label,
          bars: kinds.flatMap((kind) => {
            const eur = costs[kind];
            return eur === null ? [] : [{ kind, eur }];
          }),
        }))}
        description={texts.chart}
        format={format}
      />
      {metered === undefined && <p class="muted">{texts.notes}</p>}
    </section>
  );
}
