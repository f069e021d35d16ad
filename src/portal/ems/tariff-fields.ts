import { createHash } from "node:crypto";
import type { ExaminedPlant } from "../../config/plausibility.js";
import { nearestRegion } from "../../config/postcodes.js";
import type { FlatTariffSettings, PlantSettings, TariffSettings } from "../../config/settings.js";
import type { Language } from "../../core/language.js";
import { typedNumber } from "../../core/number-text.js";
import { localDate } from "../../core/time/zone.js";
import { isSame, ownPeriods } from "../../tariff/apply-presets.js";
import { changedFrom } from "../../tariff/dated-change.js";
import { type PresetChoice, tariffOfPresets, tariffPresets } from "../../tariff/presets.js";
import { periodAt, type Tariff, type TariffPeriod } from "../../tariff/tariff.js";
import { textsOf } from "../../texts/index.js";
import type { FieldErrors } from "../ui/form.js";
import { dateIn, FROM_FIELD } from "../ui/from-date.js";
import type { FieldTexts } from "./field-text.js";
import { changedParts, priceFields, withParts } from "./price-fields.js";
import {
  CURRENT,
  FIXED,
  OTHER_SPOT,
  periodOfChoice,
  type TariffChoice,
  tariffOfChoice,
} from "./tariff-choice.js";
import { decimalText, fixedCtKwh, gridAreaOf, hasGridFees, isMarketPrice } from "./tariff-words.js";

/** Field with the tariff that a form was made for. */
export const SEEN_FIELD = "seen_tariff";
/** Field with the date of the period that a form shows. */
export const PERIOD_FIELD = "period";

const CHOICES = ["supplier", "area", "municipality", "feed_in"] as const;
const AMOUNTS = ["markup_ct_kwh", "fixed_ct_kwh", "feed_in_ct_kwh"] as const;

/** Where and when a form of the tariff is. */
interface Asked {
  plant: PlantSettings;
  language: Language;
  now: Date;
  /** Local date of the period that it shows; left out: today. */
  date?: string | undefined;
}

/** The period of a tariff that a form shows. */
export function shownPeriod({ plant, now, date }: Asked): TariffPeriod | undefined {
  const { tariff, timezone } = plant;
  return tariff === null ? undefined : periodAt(ownPeriods(tariff), date ?? localDate(now, timezone));
}

/** What the fields of a form of the tariff show, by their names. */
export function tariffTexts(asked: Asked): FieldTexts {
  const { plant, language, now } = asked;
  const period = shownPeriod(asked);
  if (period === undefined) {
    const area = nearestRegion(plant.latitude, plant.longitude)?.gridArea ?? "";
    return new Map([...CHOICES.map((name) => [name, ""] as const), ["area", area], ["summer_low", "true"]]);
  }
  const { energy, vat_pct: vatPct = 0, feed_in: feedIn } = period;
  const amount = (value: number | undefined) => (value === undefined ? "" : decimalText(value, language));
  const supplier = supplierOf(period);
  const area = gridAreaOf(period);
  const fixedFeedIn = fixedCtKwh(feedIn, 0);
  return new Map([
    ["supplier", supplier],
    ["markup_ct_kwh", supplier === OTHER_SPOT ? amount(energy?.markup_ct_kwh) : ""],
    ["fixed_ct_kwh", supplier === FIXED ? amount(fixedCtKwh(energy, vatPct)) : ""],
    ["area", area?.id ?? (hasGridFees(period) ? CURRENT : "")],
    ["summer_low", String(area?.summerLow ?? true)],
    ["municipality", municipalityOf(period)],
    ["feed_in", fixedFeedIn !== undefined ? FIXED : isMarketPrice(feedIn) ? "" : feedInOf(period)],
    ["feed_in_ct_kwh", amount(fixedFeedIn)],
    ...priceFields(period, language, localDate(now, plant.timezone)).map(
      ({ name, value, text }) => [name, text ?? amount(value)] as const,
    ),
  ]);
}

const anyArea = () => tariffPresets().areas[0]!.id;
const presetWith = (choice: Partial<PresetChoice>) => tariffOfPresets({ area: anyArea(), ...choice })[0]!;

function supplierOf(period: TariffPeriod): string {
  const { energy, energy_base_fee: fee } = period;
  const preset = tariffPresets().suppliers.find(({ id }) => {
    const of = presetWith({ supplier: id });
    return isSame([of.energy, of.energy_base_fee], [energy, fee]);
  });
  if (preset !== undefined) return preset.id;
  if (fixedCtKwh(energy, 0) !== undefined) return FIXED;
  const { type = "spot", markup_ct_kwh: _, markup_pct: pct, ...others } = energy ?? {};
  const isPlain = type === "spot" && !pct && Object.values(others).every((value) => value == null);
  return isPlain ? OTHER_SPOT : CURRENT;
}

function municipalityOf({ municipal_levy: levy }: TariffPeriod): string {
  if (levy === undefined || levy.length === 0) return "";
  const same = ({ id }: { id: string }) => isSame(presetWith({ municipality: id }).municipal_levy, levy);
  return tariffPresets().municipalities.find(same)?.id ?? CURRENT;
}

function feedInOf({ feed_in: feedIn }: TariffPeriod): string {
  const same = ({ id }: { id: string }) => isSame(presetWith({ feedIn: id }).feed_in, feedIn);
  return tariffPresets().feedIn.find(same)?.id ?? CURRENT;
}

/** What a form makes of the tariff. */
export type TariffChange =
  | {
      tariff: readonly TariffPeriod[];
      /** What is examined for unlikely values in place of it: amounts as they were typed. */
      examined?: ExaminedPlant;
    }
  | { errors: FieldErrors };

/** The tariff with what a form changes from its date on; undefined: it changes nothing. */
export function changedTariff(
  form: { has(name: string): boolean; text(name: string): string },
  asked: Omit<Asked, "date">,
): TariffChange | undefined {
  const { plant, language, now } = asked;
  const today = localDate(now, plant.timezone);
  const date = dateIn(form.text(PERIOD_FIELD));
  const shown = tariffTexts({ ...asked, date });
  const isChanged = (name: string) => form.has(name) && !isSameAmount(form.text(name), shown.get(name) ?? "");
  const names = [...shown.keys(), ...AMOUNTS];
  const changed = new Set(names.filter(isChanged));
  if (changed.size === 0) return undefined;
  const text = (name: string) => (form.has(name) ? form.text(name) : (shown.get(name) ?? ""));
  const choice = choiceOf({ text, changed, plant, language });
  if ("errors" in choice) return choice;
  const examined = examinedOf(choice, changed);
  if (plant.tariff === null) return { tariff: tariffOfChoice(choice), ...examined };
  const from = form.has(FROM_FIELD) ? dateIn(form.text(FROM_FIELD)) : today;
  const chosen = (period: TariffPeriod) => periodOfChoice(period, choice);
  const base = chosen(shownPeriod({ ...asked, date })!);
  if (base === undefined) return { errors: { supplier: textsOf(language).start.tariff.supplierToo } };
  // A community is one as long as one of its fields says so.
  const isTyped = (name: string) =>
    changed.has(name) || (name.startsWith("price.community.") && form.has(name));
  const typed = (name: string) => (isTyped(name) ? form.text(name) : undefined);
  const parts = changedParts(base, typed, { language, today });
  const errors = {
    ...("errors" in parts && parts.errors),
    ...(from === undefined && { [FROM_FIELD]: textsOf(language).home.validFrom.invalid }),
  };
  if ("errors" in parts || from === undefined) return { errors };
  const tariff = changedFrom(plant.tariff, from, (period) =>
    withParts(chosen(period) ?? period, parts.parts),
  );
  return { tariff, ...examined };
}

function isSameAmount(one: string, other: string): boolean {
  const [a, b] = [one, other].map(typedNumber);
  return one.trim() === other || (a !== undefined && a === b);
}

/** The choice of a form; what was not chosen stays as it is where there is a tariff. */
function choiceOf({
  text,
  changed,
  plant,
  language,
}: {
  text(name: string): string;
  changed: ReadonlySet<string>;
  plant: PlantSettings;
  language: Language;
}): TariffChoice | { errors: FieldErrors } {
  const texts = textsOf(language).start.tariff;
  const hasTariff = plant.tariff !== null;
  const pick = (name: (typeof CHOICES)[number], ...amounts: string[]) =>
    !hasTariff || [name, ...amounts].some((one) => changed.has(one)) ? text(name) : CURRENT;
  const supplier = pick("supplier", "markup_ct_kwh", "fixed_ct_kwh");
  const area = pick("area", "summer_low");
  const municipality = changed.has("municipality") ? text("municipality") : undefined;
  const feedIn = pick("feed_in", "feed_in_ct_kwh");
  const { suppliers, areas, municipalities, feedIn: feedIns } = tariffPresets();
  const isOne = (value: string, presets: readonly { id: string }[], ...others: string[]) =>
    presets.some(({ id }) => id === value) || [...others, ...(hasTariff ? [CURRENT] : [])].includes(value);
  const amount = (name: string) =>
    text(name).trim() === "" ? undefined : (typedNumber(text(name)) ?? text(name));
  const [fixedPrice, feedInPrice] = [amount("fixed_ct_kwh"), amount("feed_in_ct_kwh")];
  const errors = {
    ...(!isOne(supplier, suppliers, OTHER_SPOT, FIXED) && { supplier: texts.choose }),
    ...(!isOne(area, areas, "") && { area: texts.choose }),
    ...(!isOne(municipality ?? "", municipalities, "") && { municipality: texts.choose }),
    ...(!isOne(feedIn, feedIns, "", FIXED) && { feed_in: texts.choose }),
    ...(supplier === FIXED && fixedPrice === undefined && { fixed_ct_kwh: texts.fixedMissing }),
    ...(feedIn === FIXED && feedInPrice === undefined && { feed_in_ct_kwh: texts.fixedMissing }),
  };
  if (Object.keys(errors).length > 0) return { errors };
  return {
    supplier,
    area,
    feedIn,
    municipality,
    markupCtKwh: amount("markup_ct_kwh"),
    fixedCtKwh: fixedPrice,
    feedInCtKwh: feedInPrice,
    summerLow: text("summer_low") !== "false",
  };
}

/** What is unlikely is said of the number that was typed, not of the one without VAT. */
function examinedOf({ supplier, fixedCtKwh: ctKwh }: TariffChoice, changed: ReadonlySet<string>) {
  if (supplier !== FIXED || typeof ctKwh !== "number" || !changed.has("fixed_ct_kwh")) return undefined;
  const typed: unknown = [{ energy: { type: "fixed", ct_kwh: ctKwh } }];
  return { examined: { tariff: typed as Exclude<TariffSettings, FlatTariffSettings> } };
}

/** A tariff without the period that begins on a date. */
export function withoutPeriod(tariff: Tariff | null, date: string): readonly TariffPeriod[] | undefined {
  const periods = tariff === null ? [] : ownPeriods(tariff);
  const others = periods.filter(({ valid_from }) => valid_from !== date);
  return others.length > 0 && others.length < periods.length ? others : undefined;
}

/** The field that shows a place of the tariff. */
export function tariffFieldAt(path: readonly string[]): string {
  const [, , ...rest] = path;
  const times = ["from", "to"].includes(rest.at(-1) ?? "") && rest.includes("windows");
  return `price.${[...(times ? rest.slice(0, -1) : rest), ...(times ? ["times"] : [])].join(".")}`;
}

/** Identifies a tariff, so that a form does not change another one than it shows. */
export function tariffMark(tariff: Tariff | null): string {
  return createHash("sha256").update(JSON.stringify(tariff)).digest("hex").slice(0, 16);
}
