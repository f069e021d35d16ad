import { regionOf } from "../../config/postcodes.js";
import type { FlatTariffSettings, TariffSettings } from "../../config/settings.js";
import { areaOf, tariffPresets } from "../../tariff/presets.js";
import { textsOf } from "../../texts/index.js";
import { CheckboxField, NumberField, SelectField } from "../ui/form.js";
import { numberIn, type SettingsStep, type Typed } from "./step.js";
import { FIXED, OTHER_SPOT, type TariffChoice, tariffOfChoice } from "./tariff-choice.js";

/** The choice that a form makes; a field with a reason where it makes none. */
export function tariffChoiceIn(typed: Typed): TariffChoice | { errors: Record<string, string> } {
  const texts = textsOf(typed.language).start.tariff;
  const presets = tariffPresets();
  const has = (list: readonly { id: string }[], id: string) => list.some((one) => one.id === id);
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
  held: ({ tariff }) => ({
    supplier: OTHER_SPOT,
    area: (tariff !== null && areaOf(tariff)) || "",
    summer_low: "true",
    feed_in: "",
  }),

  read(typed) {
    const choice = tariffChoiceIn(typed);
    if ("errors" in choice) return choice;
    const tariff = tariffOfChoice(choice);
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

  Fields({ context, value, field }) {
    const texts = textsOf(context.language).start.tariff;
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
          options={[{ value: "", label: texts.noArea }, ...byName(areas)]}
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
      </>
    );
  },
};

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
