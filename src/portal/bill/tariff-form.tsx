import { SiteSettingsError } from "../../accounts/site-registry.js";
import type { Language } from "../../core/language.js";
import { numberFromText } from "../../core/number-text.js";
import { applyPresets, ownPeriods } from "../../tariff/apply-presets.js";
import { changedFrom } from "../../tariff/dated-change.js";
import { type PresetEntry, PresetError, presetsKnownUntil, tariffPresets } from "../../tariff/presets.js";
import { periodAt, type Tariff, TariffError } from "../../tariff/tariff.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { findingText } from "../ems/finding-text.js";
import type { FormBody } from "../form-body.js";
import { CheckboxField, Form, NumberField, SelectField, SubmitButton } from "../ui/form.js";
import { dateIn, FROM_FIELD, FromDateField } from "../ui/from-date.js";

const FIELDS = ["area", "supplier", "municipality", "feed_in"] as const;

/** The tariff of a site with the presets of the form; a sentence if that is not possible. */
export function tariffOfForm(
  { site, language }: SignedInContext,
  form: FormBody,
): { tariff: Tariff; kept: number } | string {
  const texts = textsOf(language).bill.tariff;
  const [area, supplier, municipality, feedIn] = FIELDS.map((name) => form.text(name) || undefined);
  if (area === undefined) return texts.needsArea;
  const typed = form.text("metering_eur_month");
  const meteringEur = numberFromText(typed) ?? Number.NaN;
  const date = dateIn(form.text(FROM_FIELD));
  if (form.has(FROM_FIELD) && date === undefined) return textsOf(language).home.validFrom.invalid;
  if (typed !== "" && !(meteringEur >= 0 && meteringEur <= 100)) return texts.wrongMetering;
  try {
    const choice = { area, supplier, municipality, feedIn, summerLow: form.isTicked("summer_low") };
    const own = site?.plant.tariff ?? null;
    const isDated = own !== null && date !== undefined;
    const { tariff, kept } = applyPresets(isDated ? [periodAt(ownPeriods(own), date)] : own, choice);
    const last = tariff.at(-1);
    if (last !== undefined && typed !== "")
      last.grid_usage = { ...last.grid_usage, metering_eur_month: meteringEur };
    return {
      tariff: isDated ? changedFrom(own, date, (period) => last ?? period) : tariff,
      kept: kept.length,
    };
  } catch (error) {
    if (error instanceof TariffError) return error.text(language);
    // Only with a choice that the form does not offer.
    if (error instanceof PresetError) return texts.needsArea;
    throw error;
  }
}

/** The reason why a tariff is refused; rethrows anything but a refusal. */
export function tariffRefusal(error: unknown, language: Language): string {
  if (!(error instanceof SiteSettingsError)) throw error;
  return error.findings
    .map((finding) => `${finding.path.join(".")}: ${findingText(finding, undefined, language)}`)
    .join(" ");
}

/** A choice of presets that was not applied. */
export interface RefusedTariff {
  why: string;
  form: FormBody;
}

interface TariffFormProps {
  context: SignedInContext;
  isOpen: boolean;
  /** Is shown as it was sent. */
  typed: FormBody | undefined;
}

/** Choice of grid area, supplier and the other presets of the tariff. */
export function TariffForm({ context, isOpen, typed }: TariffFormProps) {
  const { tariff: texts } = textsOf(context.language).bill;
  const presets = tariffPresets();
  const select = (
    name: (typeof FIELDS)[number],
    label: string,
    entries: readonly PresetEntry[],
    none: string,
  ) => (
    <SelectField
      name={name}
      label={label}
      value={typed?.text(name) ?? ""}
      options={[
        { value: "", label: none },
        ...entries.map(({ id, name: text, asOf, checked }) => ({
          value: id,
          label: `${text} (${checked === "list" || checked === "comparison" ? texts[checked](asOf) : asOf})`,
        })),
      ]}
    />
  );
  const current = context.site?.plant.tariff;
  const period = Array.isArray(current) ? current.at(-1) : undefined;
  return (
    <details class="card" open={isOpen} id="tariff">
      <summary>{texts.title}</summary>
      <p>{texts.intro(presetsKnownUntil())}</p>
      <Form context={context} action="/bill/tariff">
        <div class="columns">
          {select("area", texts.area, presets.areas, texts.choose)}
          {select("supplier", texts.supplier, presets.suppliers, texts.noSupplier)}
          {select("municipality", texts.municipality, presets.municipalities, texts.noLevy)}
          {select("feed_in", texts.feedIn, presets.feedIn, texts.spotFeedIn)}
          <NumberField
            name="metering_eur_month"
            label={texts.metering}
            unit="€"
            hint={texts.meteringHint}
            value={typed?.text("metering_eur_month") ?? period?.grid_usage?.metering_eur_month ?? ""}
          />
          <CheckboxField
            name="summer_low"
            label={texts.summerLow}
            checked={typed?.isTicked("summer_low") ?? true}
            hint={texts.summerLowHint}
          />
          {current && <FromDateField context={context} value={typed?.text(FROM_FIELD)} />}
        </div>
        <p class="hint">{texts.keeps}</p>
        <SubmitButton>{texts.apply}</SubmitButton>
      </Form>
    </details>
  );
}
