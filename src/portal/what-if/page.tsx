import type { WhatIfDocument } from "../../api/documents/what-if.js";
import type { Site } from "../../config/site.js";
import { tariffPresets } from "../../tariff/presets.js";
import { type Format, formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
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
import { Failed, NoSite } from "../ui/notices.js";

/** What the page offers for a site, and what it has. */
export interface WhatIfContent {
  site: Site;
  document: WhatIfDocument;
  isBusy: boolean;
  /** Months to choose from, latest first. */
  months: readonly string[];
  suppliers: readonly string[];
  /** The consumption of a whole year was measured. */
  hasYear: boolean;
}

interface WhatIfPageProps {
  context: SignedInContext;
  content: WhatIfContent | undefined;
  /** A refused form. */
  refused?: { errors: FieldErrors; typed: FormBody; text?: string };
}

const REFRESH_SECONDS = 2;

/** The page "What if": a form that asks, the progress of the answer, and the answers that are kept. */
export function WhatIfPage({ context, content, refused }: WhatIfPageProps) {
  const texts = textsOf(context.language).whatIf;
  if (content === undefined)
    return (
      <Layout context={context} title={texts.title}>
        <NoSite context={context} />
      </Layout>
    );
  const { document, site } = content;
  const format = formatOf(context.language, site.plant.timezone);
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
        <section class="card">
          <h2>{changeText(document.asked, format)}</h2>
          <p>{texts.running(format.number(document.progress_pct, 0))}</p>
          <progress max={100} value={document.progress_pct ?? 0} aria-label={texts.title} />
          <p class="muted">{texts.runningNote}</p>
          <Form context={context} action="/what-if/cancel">
            <SubmitButton kind="plain">{texts.cancel}</SubmitButton>
          </Form>
        </section>
      )}
      {document.results.length > 0 && (
        <section aria-label={texts.results}>
          <h2>{texts.results}</h2>
          <div class="columns">
            {document.results.toReversed().map((result) => (
              <Answer key={result.id} context={context} result={result} format={format} />
            ))}
          </div>
        </section>
      )}
      {!isRunning && <Question context={context} content={content} refused={refused} format={format} />}
    </Layout>
  );
}

type Result = WhatIfDocument["results"][number];

function Answer({ context, result, format }: { context: SignedInContext; result: Result; format: Format }) {
  const texts = textsOf(format.language).whatIf;
  const { saved_eur: savedEur } = result;
  const amount = format.number(Math.abs(savedEur ?? 0));
  const isSame = amount === format.number(0);
  return (
    <section class="card">
      <h3>{changeText(result, format)}</h3>
      <p class="big">
        {isSame ? texts.same : (savedEur ?? 0) > 0 ? texts.saves(amount) : texts.costs(amount)}
      </p>
      <p>{texts.instead(format.number(result.changed_eur), format.number(result.cost_eur))}</p>
      <p class="muted">
        {`${texts.period(format.date(result.from), format.date(result.to))}. ${texts.basis[result.basis]} ${result.cost_is === "computed" ? texts.computed : ""}`}
      </p>
      <Form context={context} action="/what-if/remove">
        <input type="hidden" name="id" value={result.id} />
        <SubmitButton kind="plain">{texts.remove}</SubmitButton>
      </Form>
    </section>
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
    asked.without_car && change.withoutCar,
    asked.heat_pump_kwh_year !== undefined && change.heatPump(number(asked.heat_pump_kwh_year)),
  ].filter((part) => typeof part === "string");
  const text = parts.length === 0 ? change.none : parts.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function supplierName(id: string): string {
  return tariffPresets().suppliers.find((one) => one.id === id)?.name ?? id;
}

function Question({
  context,
  content: { site, isBusy, months, suppliers, hasYear },
  refused,
  format,
}: {
  context: SignedInContext;
  content: WhatIfContent;
  refused: WhatIfPageProps["refused"];
  format: Format;
}) {
  const texts = textsOf(format.language).whatIf;
  const { fields } = texts;
  const { battery, slots } = site.plant;
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
            ...months.map((month) => ({ value: month, label: format.month(month) })),
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
      <SubmitButton>{texts.ask}</SubmitButton>
    </Form>
  );
}
