import { createHash } from "node:crypto";
import type { PlantSettings } from "../../config/settings.js";
import { localDate } from "../../core/time/zone.js";
import { ownPeriods } from "../../tariff/apply-presets.js";
import { changedFrom } from "../../tariff/dated-change.js";
import { periodAt, type Tariff, type TariffPeriod } from "../../tariff/tariff.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import type { FormBody } from "../form-body.js";
import {
  ErrorSummary,
  type FieldErrors,
  Form,
  Notice,
  NumberField,
  SelectField,
  SubmitButton,
} from "../ui/form.js";
import { dateIn, FROM_FIELD, FromDateField } from "../ui/from-date.js";
import { changedParts, FEED_IN_TYPE, priceFields, withParts } from "./price-fields.js";
import { EMS_PATH, SectionCard, type SectionProps } from "./section-form.js";
import { ConfirmButton, UnlikelyNotice } from "./unlikely-question.js";
import { changedPlant, type UnlikelyQuestion } from "./unlikely-values.js";

/** Where the form of the prices is sent to. */
export const PRICES_PATH = `${EMS_PATH}/tariff`;
const SEEN_FIELD = "seen_tariff";

/** A form of prices that was not saved. */
export interface RefusedPrices {
  /** What was typed in a field; undefined: the form does not have it. */
  text(name: string): string | undefined;
  errors: FieldErrors;
  why?: string | undefined;
  question?: UnlikelyQuestion | undefined;
}

/** The prices in force of a tariff with periods; changes apply from a date on. */
export function DatedPrices({
  refused,
  tariff,
  ...props
}: SectionProps & { tariff: readonly TariffPeriod[]; refused: RefusedPrices | undefined }) {
  const context = props.context as SignedInContext;
  const { language, site, now } = context;
  const { home, ems } = textsOf(language);
  const texts = home.prices;
  const zone = site?.plant.timezone ?? "Europe/Vienna";
  const { date: dateText } = formatOf(language, zone);
  const today = localDate(now, zone);
  const period = periodAt(tariff, today);
  const later = tariff.filter(({ valid_from = "" }) => valid_from > today);
  const { decimal } = textsOf(language).format;
  const type = period.feed_in?.type ?? "spot";
  const typed = (name: string) => refused?.text(name);
  const shownType = typed(FEED_IN_TYPE) || type;
  const fields = priceFields(period, language, today);
  return (
    <SectionCard {...props} section="tariff">
      <p>{texts.since(period.valid_from === undefined ? undefined : dateText(period.valid_from))}</p>
      {later.map(({ valid_from = "" }) => (
        <p key={valid_from} class="hint">
          {texts.later(dateText(valid_from))}
        </p>
      ))}
      {refused?.why !== undefined && <Notice kind="error">{refused.why}</Notice>}
      <ErrorSummary context={context} errors={refused?.errors ?? {}} />
      <Form context={context} action={PRICES_PATH} label={ems.sections.tariff.title}>
        <input type="hidden" name={SEEN_FIELD} value={tariffMark(tariff)} />
        <UnlikelyNotice question={refused?.question} language={language} />
        {fields.map(({ name, label, unit, value }) => (
          <NumberField
            key={name}
            name={name}
            label={label}
            unit={unit}
            value={typed(name) ?? String(value ?? "").replace(".", decimal)}
            error={refused?.errors[name]}
          />
        ))}
        <SelectField
          name={FEED_IN_TYPE}
          label={texts.feedInType}
          value={shownType}
          options={[
            { value: "spot", label: texts.feedInSpot },
            { value: "fixed", label: texts.feedInFixed },
            ...(type === "spot" || type === "fixed" ? [] : [{ value: type, label: texts.feedInOther }]),
          ]}
        />
        {type !== "fixed" && (
          <NumberField
            name="price.feed_in.ct_kwh"
            label={texts.feedIn}
            hint={texts.feedInHint}
            unit="ct/kWh"
            value={typed("price.feed_in.ct_kwh") ?? ""}
            error={refused?.errors["price.feed_in.ct_kwh"]}
          />
        )}
        <FromDateField context={context} value={typed(FROM_FIELD)} error={refused?.errors[FROM_FIELD]} />
        <div class="buttons">
          <SubmitButton>{ems.save}</SubmitButton>
          <ConfirmButton question={refused?.question} language={language} />
        </div>
      </Form>
    </SectionCard>
  );
}

/** The tariff with the prices of a form from its date on; errors where that is not possible. */
export function pricesOfForm(
  {
    site,
    now,
    language,
  }: Pick<SignedInContext, "now" | "language"> & { site: NonNullable<SignedInContext["site"]> },
  form: { has(name: string): boolean; text(name: string): string },
): { tariff: readonly TariffPeriod[] } | Pick<RefusedPrices, "errors" | "why"> {
  const { home } = textsOf(language);
  const { tariff, timezone } = site.plant;
  if (tariff === null) return { errors: {}, why: home.refused.outdated };
  if (form.has(SEEN_FIELD) && form.text(SEEN_FIELD) !== tariffMark(tariff))
    return { errors: {}, why: home.refused.outdated };
  const date = dateIn(form.text(FROM_FIELD));
  const today = localDate(now, timezone);
  const inForce = periodAt(ownPeriods(tariff), today);
  const typed = (name: string) => (form.has(name) ? form.text(name) : undefined);
  const changed = changedParts(inForce, typed, { language, today });
  const errors = {
    ...("errors" in changed && changed.errors),
    ...(date === undefined && { [FROM_FIELD]: home.validFrom.invalid }),
  };
  if ("errors" in changed || date === undefined) return { errors };
  return { tariff: changedFrom(tariff, date, (period) => withParts(period, changed.parts)) };
}

/**
 * A change with its tariff from the date of the form on; without a date, for all time. What does not fit is left for the check
 * of the settings. Undefined: the date is none.
 */
export function withDate(
  { tariff, ...plant }: PlantSettings,
  change: Readonly<Record<string, unknown>>,
  form: FormBody,
): Readonly<Record<string, unknown>> | undefined {
  if (!form.has(FROM_FIELD) || tariff === null || !change.tariff) return change;
  const date = dateIn(form.text(FROM_FIELD));
  if (date === undefined) return undefined;
  const parsed = changedPlant({ ...plant, tariff }, change);
  if ("findings" in parsed || parsed.plant.tariff === null) return change;
  const [typed] = ownPeriods(parsed.plant.tariff);
  const dated = changedFrom(tariff, date, () => typed!);
  return dated.length === 1 ? change : { ...change, tariff: dated };
}

function tariffMark(tariff: Tariff): string {
  return createHash("sha256").update(JSON.stringify(tariff)).digest("hex").slice(0, 16);
}
