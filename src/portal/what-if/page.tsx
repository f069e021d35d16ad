import type { WhatIfDocument } from "../../api/documents/what-if.js";
import { areaOf, tariffPresets } from "../../tariff/presets.js";
import { type Format, formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { FormBody } from "../form-body.js";
import type { SiteContext } from "../page.js";
import {
  boundFields,
  CheckboxField,
  type FieldErrors,
  Form,
  Notice,
  NumberField,
  SelectField,
  SubmitButton,
} from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { Failed } from "../ui/notices.js";
import { Card, formButton, linkLine } from "../ui/parts.js";
import { DataTable } from "../ui/table.js";

/** What the page offers, and what it has. */
export interface WhatIfContent {
  document: WhatIfDocument;
  isBusy: boolean;
  /** Months and calendar years to choose from, latest first. */
  periods: readonly string[];
  /** Of the grid area of the site; empty where it is not known. */
  suppliers: readonly string[];
  /** The consumption of a whole year was measured. */
  hasYear: boolean;
}

interface WhatIfPageProps {
  context: SiteContext;
  content: WhatIfContent;
  /** A refused form. */
  refused?: { errors: FieldErrors; typed: FormBody; text?: string };
}

const REFRESH_SECONDS = 2;

/** The page "What if": a form that asks, the progress of the answer, and the answers that are kept. */
export function WhatIfPage({ context, content, refused }: WhatIfPageProps) {
  const texts = textsOf(context.language).whatIf;
  const { document } = content;
  const format = formatOf(context.language, context.site.plant.timezone);
  const isRunning = document.status === "running";
  return (
    <Layout
      context={context}
      title={texts.title}
      // A refused form is a POST, which a reload would send again.
      refreshSeconds={isRunning && refused === undefined ? REFRESH_SECONDS : undefined}
    >
      <p>{texts.intro}</p>
      <Failed text={refused?.text} />
      {document.fault !== null && <Notice kind="warning">{texts.faults[document.fault]}</Notice>}
      {isRunning && document.asked && (
        <Card title={changeText(document.asked, format)}>
          <p>{texts.running(format.number(document.progress_pct, 0))}</p>
          <progress max={100} value={document.progress_pct ?? 0} aria-label={texts.title} />
          <p class="muted">{texts.runningNote}</p>
          {formButton(context, "/what-if/cancel", texts.cancel, { kind: "plain" })}
        </Card>
      )}
      {document.results.length > 0 && (
        <section aria-label={texts.results}>
          <h2>{texts.results}</h2>
          <div class="columns">
            {document.results.toReversed().map((result) => answer(context, result, format))}
          </div>
        </section>
      )}
      {!isRunning && question(context, content, refused, format)}
    </Layout>
  );
}

type Result = WhatIfDocument["results"][number];

function answer(context: SiteContext, result: Result, format: Format) {
  const texts = textsOf(format.language).whatIf;
  const { saved_eur: savedEur } = result;
  const amount = format.number(Math.abs(savedEur ?? 0));
  const isSame = amount === format.number(0);
  return (
    <section class="card">
      <h3>{changeText(result, format)}</h3>
      {/* Without a tariff of the site there is nothing that suppliers could be better than. */}
      {savedEur !== null && (
        <>
          <p class="big">{isSame ? texts.same : savedEur > 0 ? texts.saves(amount) : texts.costs(amount)}</p>
          <p>{texts.instead(format.number(result.changed_eur), format.number(result.cost_eur))}</p>
        </>
      )}
      {result.comparison && comparison(result.comparison, format)}
      {result.metered && (
        <Notice kind="info">
          <p>
            {texts.metered.energies(
              format.number(result.metered.import_kwh, 0),
              format.number(result.metered.export_kwh, 0),
            )}
            {result.metered.hours_missing > 0 &&
              ` ${texts.metered.missing(format.number(result.metered.hours_missing, 0))}`}
          </p>
          <p>{texts.metered.why(result.metered.missing.map((reading) => texts.metered.readings[reading]))}</p>
          {linkLine("/connect", texts.metered.connect)}
        </Notice>
      )}
      <p class="muted">
        {`${texts.period(format.date(result.from), format.date(result.to))}. ${texts.basis[result.basis]} ${result.cost_is === "computed" ? texts.computed : ""}`}
      </p>
      {formButton(context, "/what-if/remove", texts.remove, { hidden: { id: result.id }, kind: "plain" })}
    </section>
  );
}

const COSTS = ["metered", "uncontrolled", "hourgate", "perfect", "no_battery"] as const;

/** The costs under each tariff, cheapest first. */
function comparison(rows: NonNullable<Result["comparison"]>, format: Format) {
  const texts = textsOf(format.language).whatIf;
  type Row = (typeof rows)[number];
  const costOf = (row: Row, kind: (typeof COSTS)[number]) => row[`${kind}_eur`] ?? null;
  const ranked = (row: Row) => row.hourgate_eur ?? row.no_battery_eur ?? row.metered_eur ?? Infinity;
  const sorted = rows.toSorted((a, b) => ranked(a) - ranked(b));
  const kinds = COSTS.filter((kind) => rows.some((row) => costOf(row, kind) !== null));
  return (
    <>
      <DataTable
        caption={texts.caption}
        rows={sorted}
        rowClass={(row) => (row === sorted[0] ? "cheapest" : undefined)}
        columns={(col) => [
          col.head(texts.tariffColumn, (row) => (
            <>
              {row.tariff === "current" ? texts.ownTariff : supplierName(row.tariff)}
              {row === sorted[0] && <strong class="mark">{` ${texts.cheapest}`}</strong>}
            </>
          )),
          ...kinds.map((kind) => col.number(texts.columns[kind], (row) => format.number(costOf(row, kind)))),
        ]}
      />
      {kinds.includes("no_battery") && (
        <p class="muted">{kinds.includes("hourgate") ? texts.notes : texts.noBatteryNote}</p>
      )}
    </>
  );
}

/** What is changed, in words. */
function changeText(asked: NonNullable<WhatIfDocument["asked"]>, format: Format): string {
  const { change } = textsOf(format.language).whatIf;
  const number = (value: number) => format.number(value, Number.isInteger(value) ? 0 : 1);
  const parts = [
    asked.battery_kwh !== undefined && change.battery(number(asked.battery_kwh)),
    asked.pv_kwp_more !== undefined && change.pv(number(asked.pv_kwp_more)),
    asked.tariff !== undefined && change.tariff(supplierName(asked.tariff)),
    asked.tariffs !== undefined && change.tariffs,
    asked.without_car && change.withoutCar,
    asked.heat_pump_kwh_year !== undefined && change.heatPump(number(asked.heat_pump_kwh_year)),
  ].filter((part) => typeof part === "string");
  const text = parts.length === 0 ? change.none : parts.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function supplierName(id: string): string {
  return tariffPresets().suppliers.find((one) => one.id === id)?.name ?? id;
}

function question(
  context: SiteContext,
  { isBusy, periods, suppliers, hasYear }: WhatIfContent,
  refused: WhatIfPageProps["refused"],
  format: Format,
) {
  const texts = textsOf(format.language).whatIf;
  const { fields } = texts;
  const { battery, slots } = context.site.plant;
  const field = boundFields(refused?.errors ?? {}, refused?.typed);
  if (isBusy && refused === undefined) return <Notice kind="info">{texts.busy}</Notice>;
  return (
    <Form context={context} action="/what-if" class="card">
      <div class="columns">
        <SelectField
          {...field("period", "year")}
          label={fields.period}
          options={[
            { value: "year", label: fields.year },
            ...periods.map((one) => ({ value: one, label: one.length === 4 ? one : format.month(one) })),
          ]}
        />
        <NumberField
          {...field("battery_kwh")}
          label={fields.battery}
          unit="kWh"
          hint={
            battery === null ? fields.batteryNone : fields.batteryNow(format.number(battery.capacity_kwh, 1))
          }
        />
        <NumberField {...field("pv_kwp_more")} label={fields.pv} unit="kWp" hint={fields.pvHint} />
        {suppliers.length > 0 && (
          <SelectField
            {...field("tariff", "")}
            label={fields.tariff}
            options={[
              { value: "", label: fields.tariffNow },
              ...suppliers.map((id) => ({ value: id, label: supplierName(id) })),
            ]}
          />
        )}
        <NumberField
          {...field("heat_pump_kwh_year")}
          label={fields.heatPump}
          unit="kWh"
          hint={fields.heatPumpHint}
        />
        {!hasYear && (
          <NumberField {...field("annual_kwh")} label={fields.annual} unit="kWh" hint={fields.annualHint} />
        )}
        {slots.some(({ kind }) => kind === "wallbox") && (
          <CheckboxField
            name="without_car"
            label={fields.withoutCar}
            hint={fields.withoutCarHint}
            checked={refused?.typed.isTicked("without_car") ?? false}
            error={refused?.errors.without_car}
          />
        )}
      </div>
      <Suppliers context={context} suppliers={suppliers} refused={refused} />
      <SubmitButton>{texts.ask}</SubmitButton>
    </Form>
  );
}

/** Several suppliers to compare, of the grid area of the site or of another one. */
function Suppliers({
  context,
  suppliers,
  refused,
}: Pick<WhatIfContent, "suppliers"> &
  Pick<WhatIfPageProps, "context"> & { refused: WhatIfPageProps["refused"] }) {
  const { fields } = textsOf(context.language).whatIf;
  const presets = tariffPresets();
  const own = context.site.plant.tariff;
  const area = own === null ? undefined : areaOf(own);
  const offered = presets.suppliers.filter(({ id }) => suppliers.length === 0 || suppliers.includes(id));
  const errors = refused?.errors ?? {};
  const isAsked = context.query.get("ask") === "tariffs";
  const askedArea = context.query.get("area") ?? "";
  return (
    <details open={isAsked || errors.tariff !== undefined || errors.area !== undefined}>
      <summary>{fields.tariffs}</summary>
      <p class="hint">{fields.tariffsHint}</p>
      {errors.tariff !== undefined && <p class="error">{errors.tariff}</p>}
      {(area === undefined || askedArea !== "") && (
        <SelectField
          {...boundFields(errors, refused?.typed)("area", askedArea)}
          label={fields.area}
          hint={fields.areaHint}
          options={[
            { value: "", label: "–" },
            ...presets.areas.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
      )}
      {offered.map(({ id, name, asOf }) => (
        <div class="field checkbox" key={id}>
          <input
            id={`tariff-${id}`}
            type="checkbox"
            name="tariff"
            value={id}
            checked={refused?.typed.texts("tariff").includes(id) ?? isAsked}
          />
          <label for={`tariff-${id}`}>{name}</label>
          <p class="hint">{fields.asOf(asOf)}</p>
        </div>
      ))}
    </details>
  );
}
