import { regionOf } from "../../config/postcodes.js";
import type { FlatTariffSettings, TariffSettings } from "../../config/settings.js";
import { localDate, VIENNA } from "../../core/time/zone.js";
import { ownPeriods } from "../../tariff/apply-presets.js";
import { changedFrom } from "../../tariff/dated-change.js";
import { areaOf, tariffPresets } from "../../tariff/presets.js";
import { type FeedInPrice, periodAt, type Tariff } from "../../tariff/tariff.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { CheckboxField, NumberField, SelectField } from "../ui/form.js";
import { dateIn, FROM_FIELD, FromDateField } from "../ui/from-date.js";
import { numberIn, type SettingsStep, type Typed, textOfNumber } from "./step.js";
import {
  CURRENT,
  FIXED,
  OTHER_SPOT,
  periodOfChoice,
  type TariffChoice,
  tariffOfChoice,
} from "./tariff-choice.js";

/** The choice that a form makes; a field with a reason where it makes none. */
export function tariffChoiceIn(
  typed: Typed,
  hasTariff: boolean,
): TariffChoice | { errors: Record<string, string> } {
  const texts = textsOf(typed.language).start.tariff;
  const presets = tariffPresets();
  const has = (list: readonly { id: string }[], id: string) =>
    list.some((one) => one.id === id) || (hasTariff && id === CURRENT);
  const [supplier, area, feedIn] = [typed.text("supplier"), typed.text("area"), typed.text("feed_in")];
  const fixedCtKwh = numberIn(typed, "fixed_ct_kwh");
  const feedInCtKwh = numberIn(typed, "feed_in_ct_kwh");
  if (supplier !== OTHER_SPOT && supplier !== FIXED && !has(presets.suppliers, supplier))
    return { errors: { supplier: texts.choose } };
  if (area !== "" && !has(presets.areas, area)) return { errors: { area: texts.choose } };
  if (feedIn !== "" && feedIn !== FIXED && !has(presets.feedIn, feedIn))
    return { errors: { feed_in: texts.choose } };
  if (supplier === FIXED && fixedCtKwh === undefined) return { errors: { fixed_ct_kwh: texts.fixedMissing } };
  if (feedIn === FIXED && feedInCtKwh === undefined)
    return { errors: { feed_in_ct_kwh: texts.fixedMissing } };
  return {
    supplier,
    area,
    feedIn,
    fixedCtKwh,
    feedInCtKwh,
    markupCtKwh: numberIn(typed, "markup_ct_kwh"),
    summerLow: typed.isTicked("summer_low"),
  };
}

/** Supplier, grid operator and feed-in from the presets, or typed prices. */
export const tariffStep: SettingsStep = {
  held: ({ tariff }) =>
    tariff === null
      ? { supplier: OTHER_SPOT, area: "", summer_low: "true", feed_in: "" }
      : { supplier: CURRENT, area: CURRENT, summer_low: "true", feed_in: CURRENT },

  read(typed, { plant }) {
    const choice = tariffChoiceIn(typed, plant.tariff !== null);
    if ("errors" in choice) return choice;
    const { supplier, area, feedIn } = choice;
    if ([supplier, area, feedIn].every((one) => one === CURRENT))
      return { plant: {}, nameOf: () => "supplier" };
    const tariff = plant.tariff === null ? tariffOfChoice(choice) : chosenFrom(plant.tariff, typed, choice);
    if ("errors" in tariff) return tariff;
    return {
      plant: { tariff },
      // What is unlikely is said of the number that was typed, not of the one without VAT.
      ...(choice.supplier === FIXED &&
        typeof choice.fixedCtKwh === "number" && {
          examined: { tariff: typedPrices(choice) },
        }),
      nameOf: (path) => {
        const key = path.join(".");
        if (key.includes("feed_in")) return "feed_in_ct_kwh";
        if (key.includes("energy")) return choice.supplier === FIXED ? "fixed_ct_kwh" : "markup_ct_kwh";
        return "area";
      },
    };
  },

  Fields({ context, site, value, field }) {
    const texts = textsOf(context.language).start.tariff;
    const { tariff } = site.plant;
    const inForce = tariff === null ? undefined : tariffInForce(tariff, context);
    const asNow = (what: string | undefined) =>
      what === undefined ? [] : [{ value: CURRENT, label: texts.asNow(what) }];
    const { suppliers, areas, feedIn } = tariffPresets();
    const byName = (list: readonly { id: string; name: string }[]) =>
      list
        .map(({ id, name }) => ({ value: id, label: texts.names[id as keyof typeof texts.names] ?? name }))
        .sort((a, b) => a.label.localeCompare(b.label, "de"));
    return (
      <>
        <SelectField
          {...field("supplier")}
          label={texts.supplier}
          hint={texts.supplierHint}
          options={[
            ...asNow(inForce?.supplier),
            { value: OTHER_SPOT, label: texts.otherSpot },
            { value: FIXED, label: texts.fixed },
            ...byName(suppliers),
          ]}
        />
        <div class="field only-spot">
          <NumberField
            {...field("markup_ct_kwh")}
            label={texts.markup}
            hint={texts.markupHint}
            unit="ct/kWh"
          />
        </div>
        <div class="field only-fixed">
          <NumberField
            {...field("fixed_ct_kwh")}
            label={texts.fixedPrice}
            hint={texts.fixedHint}
            unit="ct/kWh"
          />
        </div>
        <SelectField
          {...field("area")}
          label={texts.area}
          hint={texts.areaHint}
          options={[...asNow(inForce?.area), { value: "", label: texts.noArea }, ...byName(areas)]}
        />
        <CheckboxField
          name="summer_low"
          label={texts.summerLow}
          checked={value("summer_low") !== "false"}
          hint={texts.summerLowHint}
        />
        <SelectField
          {...field("feed_in")}
          label={texts.feedIn}
          options={[
            ...asNow(inForce?.feedIn),
            { value: "", label: texts.feedInSpot },
            { value: FIXED, label: texts.feedInFixed },
            ...byName(feedIn),
          ]}
        />
        <div class="field only-fixed-feed-in">
          <NumberField
            {...field("feed_in_ct_kwh")}
            label={texts.feedInPrice}
            hint={texts.feedInHint}
            unit="ct/kWh"
          />
        </div>
        {tariff !== null && <FromDateField context={context} {...field(FROM_FIELD)} />}
      </>
    );
  },
};

/** A tariff with a choice from the typed date on. */
function chosenFrom(tariff: Tariff, typed: Typed, choice: TariffChoice) {
  const { home, start } = textsOf(typed.language);
  const date = dateIn(typed.text(FROM_FIELD));
  if (date === undefined) return { errors: { [FROM_FIELD]: home.validFrom.invalid } };
  const period = periodOfChoice(periodAt(ownPeriods(tariff), date), choice);
  if (period === undefined) return { errors: { supplier: start.tariff.supplierToo } };
  return changedFrom(tariff, date, () => period);
}

/** What is in force today, in words. */
function tariffInForce(tariff: Tariff, { language, now, site }: SignedInContext) {
  const { tariff: texts } = textsOf(language).start;
  const zone = site?.plant.timezone ?? VIENNA;
  const period = periodAt(ownPeriods(tariff), localDate(now, zone));
  const { energy, feed_in: feedIn } = period;
  const ct = (value: number) => `${textOfNumber(value, language)} ct/kWh`;
  const area = areaOf([period]);
  const fixed = (price: Pick<FeedInPrice, "ct_kwh"> & { type?: string | undefined }, vatPct: number) =>
    price.type === "fixed" && typeof price.ct_kwh === "number"
      ? `${texts.fixed} ${ct(Number((price.ct_kwh * (1 + vatPct / 100)).toFixed(4)))}`
      : undefined;
  const { markup_pct: pct = 0, markup_ct_kwh: markup = 0 } = energy ?? {};
  const spot = [
    texts.feedInSpot,
    ...(pct === 0 ? [] : [`${textOfNumber(pct, language)} %`]),
    ...(markup === 0 ? [] : [ct(markup)]),
  ].join(" + ");
  return {
    supplier:
      fixed(energy ?? {}, period.vat_pct ?? 0) ??
      ((energy?.type ?? "spot") === "spot" ? spot : texts.ownValues),
    area: tariffPresets().areas.find(({ id }) => id === area)?.name ?? texts.ownValues,
    feedIn:
      fixed(feedIn ?? {}, 0) ??
      (feedIn === undefined || feedIn === null ? texts.feedInSpot : texts.ownValues),
  };
}

/** The grid area that most of the region of a postcode has; empty for none. */
export function likelyArea(postcode: string): string {
  return regionOf(postcode)?.gridArea ?? "";
}

function typedPrices({ fixedCtKwh, feedIn, feedInCtKwh }: TariffChoice): TariffSettings {
  const period = {
    energy: { type: "fixed", ct_kwh: fixedCtKwh },
    ...(feedIn === FIXED && { feed_in: { type: "fixed", ct_kwh: feedInCtKwh } }),
  };
  return [period] as Exclude<TariffSettings, FlatTariffSettings>;
}
