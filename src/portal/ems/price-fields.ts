import { isDeepStrictEqual } from "node:util";
import type { Language } from "../../core/language.js";
import { typedNumber } from "../../core/number-text.js";
import { monthAfter } from "../../core/time/zone.js";
import { ownPeriods } from "../../tariff/apply-presets.js";
import { type PriceWindow, periodAt, type Tariff, type TariffPeriod } from "../../tariff/tariff.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { levyName } from "../bill/format.js";

/** One amount of a period of the tariff. */
export interface PriceField {
  name: string;
  path: readonly string[];
  label: string;
  unit: string;
  value: number | undefined;
  /** The months or the times of a window, `4-9` or `10:00-16:00`, in place of an amount. */
  text?: string;
  /** The price is needed: it may not be empty. */
  isRequired: boolean;
}

/** Where the price of the energy community is: without it there is none. */
const COMMUNITY_PRICE = ["community", "price_ct_kwh"];

/**
 * The amounts of a period that can be typed: prices, fees, levies, VAT, feed-in, energy community. With a day, prices by month
 * have fields for its month and the next one too.
 */
export function priceFields(period: TariffPeriod, language: Language, today?: string): PriceField[] {
  const texts = textsOf(language).home.prices;
  const { month: monthText, date: dateText } = formatOf(language, "Europe/Vienna");
  const dayOf = (date: string | undefined) => (date === undefined ? undefined : dateText(date));
  const fields: PriceField[] = [];
  const add = (label: string, unit: string, path: readonly string[], isRequired = false) => {
    const value = path.reduce<unknown>((at, key) => (at as Record<string, unknown> | null)?.[key], period);
    const number = typeof value === "number" ? value : undefined;
    fields.push({ name: `price.${path.join(".")}`, path, label, unit, value: number, isRequired });
  };
  const addMonths = (part: "energy" | "feed_in", label: (month: string) => string) => {
    for (const month of shownMonths(period[part]?.months, today))
      add(label(monthText(month)), "ct/kWh", [part, "months", month]);
  };
  const addBlocks = (part: "energy" | "feed_in", label: (number: number) => string) => {
    for (const [index, { up_to_kwh: upTo }] of (period[part]?.blocks ?? []).entries()) {
      const path = [part, "blocks", String(index)];
      add(label(index + 1), "ct/kWh", [...path, "ct_kwh"], true);
      if (upTo !== undefined) add(texts.blockEnd(label(index + 1)), "kWh", [...path, "up_to_kwh"], true);
    }
  };
  const { energy, grid_usage: usage, feed_in: feedIn, community } = period;
  const type = energy?.type ?? "spot";
  if (type === "spot") {
    add(texts.markup, "ct/kWh", ["energy", "markup_ct_kwh"]);
    add(texts.markupPct, "%", ["energy", "markup_pct"]);
  } else if (type === "monthly") addMonths("energy", texts.energyMonth);
  else if (energy?.blocks !== undefined) addBlocks("energy", texts.energyBlock);
  else {
    add(texts.energy, "ct/kWh", ["energy", "ct_kwh"], type === "fixed");
    for (const index of (energy?.windows ?? []).keys())
      add(texts.energyWindow(index + 1), "ct/kWh", ["energy", "windows", String(index), "ct_kwh"], true);
  }
  add(texts.baseFee, "€", ["energy_base_fee", "eur_month"]);
  if (usage?.windows === undefined) add(texts.grid, "ct/kWh", ["grid_usage", "ct_kwh"]);
  for (const [index, window] of (usage?.windows ?? []).entries()) {
    const [months = "", times] = [window.months, timesOf(window)];
    const when = window.name ?? [months, times].filter(Boolean).join(", ");
    const path = ["grid_usage", "windows", String(index)];
    add(texts.gridWindow(when), "ct/kWh", [...path, "ct_kwh"], index === 0);
    if (months === "" && times === "") continue;
    for (const [key, text] of [["months", months] as const, ["times", times] as const]) {
      const name = `price.${[...path, key].join(".")}`;
      const label = texts.window[key](when);
      fields.push({ name, path: [...path, key], label, unit: "", value: undefined, text, isRequired: false });
    }
  }
  add(texts.loss, "ct/kWh", ["grid_loss", "ct_kwh"]);
  add(texts.flat, "€", ["grid_usage", "flat_eur_year"]);
  add(texts.metering, "€", ["grid_usage", "metering_eur_month"]);
  for (const part of ["levies", "municipal_levy"] as const)
    for (const [index, levy] of (period[part] ?? []).entries()) {
      const key = (["ct_kwh", "eur_year", "pct"] as const).find((one) => levy[one] !== undefined);
      const unit = { ct_kwh: "ct/kWh", eur_year: texts.eurYear, pct: "%" }[key ?? "ct_kwh"];
      add(
        texts.levy(levyName(levy.name, language), dayOf(levy.valid_from), dayOf(levy.valid_to)),
        unit,
        [part, String(index), key ?? "ct_kwh"],
        true,
      );
    }
  add(texts.vat, "%", ["vat_pct"]);
  if (feedIn?.type === "monthly") addMonths("feed_in", texts.feedInMonth);
  else if (feedIn?.blocks !== undefined) addBlocks("feed_in", texts.feedInBlock);
  else if (feedIn?.type === "fixed") add(texts.feedIn, "ct/kWh", ["feed_in", "ct_kwh"], true);
  else if ((feedIn?.type ?? "spot") === "spot") {
    add(texts.deduct, "ct/kWh", ["feed_in", "deduct_ct_kwh"]);
    add(texts.deductPct, "%", ["feed_in", "deduct_pct"]);
  }
  add(texts.community, "ct/kWh", COMMUNITY_PRICE);
  add(texts.communityFeedIn, "ct/kWh", ["community", "feed_in_ct_kwh"]);
  add(texts.communityDiscount, "%", ["community", "grid_usage_discount_pct"]);
  if (!Array.isArray(community?.share_pct)) add(texts.communityShare, "%", ["community", "share_pct"]);
  add(texts.communityVat, "%", ["community", "vat_pct"]);
  return fields;
}

/** `10:00-16:00` of a window; empty where it holds all day. */
function timesOf({ from, to }: PriceWindow): string {
  return from === undefined && to === undefined ? "" : `${from ?? "00:00"}-${to ?? "24:00"}`;
}

/** Months with a price that are shown: the last ones, and those of the day and a month later. */
const LAST_MONTHS = 6;

function shownMonths(held: Readonly<Record<string, number>> = {}, today?: string): string[] {
  const known = Object.keys(held).sort();
  if (today === undefined) return known;
  const month = today.slice(0, 7);
  return [...new Set([...known.slice(-LAST_MONTHS), month, monthAfter(month)])].sort();
}

/** What a form changes in a period: whole parts by their key, undefined for a part that is left out; or why it cannot. */
export function changedParts(
  period: TariffPeriod,
  text: (name: string) => string | undefined,
  { language, today }: { language: Language; today: string },
): { parts: Partial<TariffPeriod> } | { errors: Record<string, string> } {
  const texts = textsOf(language).home.prices;
  const errors: Record<string, string> = {};
  const edited = structuredClone(period) as Record<string, unknown>;
  for (const field of priceFields(period, language, today)) {
    const typed = text(field.name)?.trim();
    if (typed === undefined) continue;
    if (field.text !== undefined) {
      setWindow(edited, field.path, typed);
      continue;
    }
    const value = typedNumber(typed);
    if ((value === undefined && typed !== "") || (typed === "" && field.isRequired))
      errors[field.name] = texts.needsNumber;
    else if (value !== field.value) setAt(edited, field.path, value);
  }
  const usage = edited.grid_usage as TariffPeriod["grid_usage"];
  // A window without a price is one no more.
  if (usage?.windows) usage.windows = usage.windows.filter(({ ct_kwh }) => ct_kwh !== undefined);
  const community = edited.community as TariffPeriod["community"];
  if (community && community.price_ct_kwh === undefined) {
    const others = Object.keys(community).filter((key) => text(`price.community.${key}`)?.trim());
    if (others.length > 0) errors[`price.${COMMUNITY_PRICE.join(".")}`] = texts.needsNumber;
    else delete edited.community;
  }
  if (Object.keys(errors).length > 0) return { errors };
  const keys = [...new Set([...Object.keys(edited), ...Object.keys(period)])];
  const changed = keys.filter(
    (key) => !isDeepStrictEqual(edited[key], (period as Record<string, unknown>)[key]),
  );
  return { parts: Object.fromEntries(changed.map((key) => [key, edited[key]])) };
}

/** A period with parts in place of its own. */
export function withParts(period: TariffPeriod, parts: Partial<TariffPeriod>): TariffPeriod {
  const entries = Object.entries({ ...period, ...parts }).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

/** Sets the months or the times of a window; what is not of that kind is left for the check of the settings. */
function setWindow(period: Record<string, unknown>, path: readonly string[], typed: string): void {
  const key = path.at(-1)!;
  const at = path.slice(0, -1).reduce<unknown>((part, one) => (part as Record<string, unknown>)[one], period);
  const window = at as Record<string, string | undefined>;
  if (key === "months") {
    if (typed === "") delete window.months;
    else window.months = typed;
    return;
  }
  const [from, to] = typed.split(/\s*[-–]\s*/);
  if (typed === "") for (const end of ["from", "to"]) delete window[end];
  else Object.assign(window, { from, to: to ?? "" });
}

/** Sets an amount; a part without amounts is left out. */
function setAt(period: Record<string, unknown>, path: readonly string[], value: number | undefined): void {
  const [key = "", ...rest] = path;
  if (rest.length === 0) {
    if (value === undefined) delete period[key];
    else period[key] = value;
    return;
  }
  const isPriced = key === "energy" || key === "feed_in";
  const part = (period[key] ?? (isPriced ? { type: "spot" } : {})) as Record<string, unknown>;
  setAt(part, rest, value);
  if (Object.keys(part).length === 0) delete period[key];
  else period[key] = part;
}

/** What differs between two tariffs, by the dates from which it does. */
export function priceChanges(before: Tariff, after: Tariff, language: Language): string[] {
  const [old, now] = [ownPeriods(before), ownPeriods(after)];
  const { home, format } = textsOf(language);
  const { date: dateText } = formatOf(language, "Europe/Vienna");
  const dates = [...new Set([...old, ...now].map(({ valid_from = "" }) => valid_from))].sort();
  const shown = (value: number | undefined) =>
    value === undefined ? "–" : String(value).replace(".", format.decimal);
  return dates.flatMap((date) => {
    const sides = [periodAt(old, date), periodAt(now, date)].map((period) => [
      ...priceFields(period, language),
    ]);
    const names = [...new Set(sides.flat().map(({ name }) => name))];
    const lines = names.flatMap((name) => {
      const [from, to] = sides.map((fields) => fields.find((field) => field.name === name));
      if (from?.value === to?.value && from?.text === to?.text) return [];
      const { label, unit } = (to ?? from)!;
      const [old, now] = [from, to].map((field) => field?.text ?? shown(field?.value));
      return [`${label}: ${old} → ${now} ${unit}`.trimEnd()];
    });
    return lines.map((line) => (date === "" ? line : home.prices.changed(dateText(date), line)));
  });
}
