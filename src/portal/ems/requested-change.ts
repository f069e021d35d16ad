import { AUSTRIAN_VAT_PCT, gridFeeWithSummerLow, SUPPLIER_TARIFFS } from "../../config/presets.js";
import type { FormBody } from "../form-body.js";
import { type FieldTexts, textOf, typedValue } from "./field-text.js";
import { FEE_BASE, FEE_FIELDS, FEE_PREFIX, type HeldSettings, heldTexts } from "./held-texts.js";
import { type FormChange, readSettingsForm } from "./read-form.js";
import { fieldsOf, isChoices, isOptional, PLACE_KEYS, prefixOf, SECTIONS, type Section } from "./sections.js";

/** Ready-made tariffs; the facts in them are those of config/presets.ts. */
export const TARIFF_PRESETS = ["spot_vat", "summer_low"] as const;

export type TariffPreset = (typeof TARIFF_PRESETS)[number];

type Supplier = keyof typeof SUPPLIER_TARIFFS;
export const SUPPLIERS = Object.keys(SUPPLIER_TARIFFS) as Supplier[];

/** A form with the change of its button applied. */
export interface RequestedChange extends FormChange {
  /** Sections that are reset to the configuration file. */
  resets: readonly Section[];
}

/**
 * Applies the button of a submitted form: `remove` is a row (`pv.1`, `slots.3`) or an optional section (`battery`,
 * `tariff`), `reset` a section to reset to the configuration file, `preset` a tariff preset.
 */
export function requestedChange(form: FormBody, held: HeldSettings): RequestedChange {
  const posted = postedTexts(form);
  const removals = new Set<string>();
  const removed = form.text("remove");
  if (removed !== "") removals.add(`${removed}.`);
  const preset = TARIFF_PRESETS.find((name) => name === form.text("preset"));
  if (preset !== undefined) lay(preset, posted, held, removals);
  const supplier = SUPPLIERS.find((name) => name === form.text("preset"));
  if (supplier !== undefined) laySupplier(supplier, posted);
  const change = readSettingsForm(posted, held, removals);
  const resets = SECTIONS.filter((section) => section === form.text("reset"));
  const plant = { ...change.plant };
  for (const section of SECTIONS) if (isOptional(section) && section === removed) plant[section] = null;
  for (const section of resets) {
    if (section === "place") for (const key of PLACE_KEYS) plant[key] = undefined;
    else if (section !== "telemetry") plant[section] = undefined;
    if (section === "battery") plant.batteries = undefined;
    if (section === "batteries") plant.battery = undefined;
  }
  return { ...change, plant, resets };
}

/** The fields of a form as they were typed. */
export function postedTexts(form: FormBody): Map<string, string> {
  return new Map(form.names().map((name) => [name, postedText(form, name)]));
}

/** A field of a form as it was typed. */
export function postedText(form: FormBody, name: string): string {
  return isChoices(name) ? form.texts(name).join(" ") : form.text(name);
}

/** Fills a tariff preset into the form. */
function lay(
  preset: TariffPreset,
  posted: Map<string, string>,
  held: HeldSettings,
  removals: Set<string>,
): void {
  const texts = new Map([...heldTexts(held), ...posted]);
  if (preset === "summer_low") {
    const base = typedValue(texts.get("tariff.grid_fee_ct_kwh") ?? "", FEE_BASE);
    // Without a fee there is nothing to take 20 % off; the form stays as it is.
    if (typeof base !== "number") return;
    const [, low] = gridFeeWithSummerLow(base);
    const row = feeRow(texts, low!);
    for (const [key, value] of Object.entries(low!)) posted.set(`${FEE_PREFIX}${row}.${key}`, textOf(value));
    return;
  }
  for (const field of fieldsOf("tariff"))
    posted.set(prefixOf("tariff") + field.path.join("."), textOf(field.node.default));
  posted.set("tariff.grid_fee_ct_kwh", "0");
  posted.set("tariff.vat_pct", textOf(AUSTRIAN_VAT_PCT));
  for (const row of feeRows(texts)) removals.add(`${FEE_PREFIX}${row}.`);
}

/** Sets the supplier's surcharge; grid fee, levies and feed-in are unchanged. */
function laySupplier(supplier: Supplier, posted: Map<string, string>): void {
  const { markupCtKwh, markupPct } = SUPPLIER_TARIFFS[supplier];
  const prefix = prefixOf("tariff");
  posted.set(`${prefix}markup_ct_kwh`, textOf(markupCtKwh));
  posted.set(`${prefix}markup_pct`, textOf(markupPct));
  posted.set(`${prefix}vat_pct`, textOf(AUSTRIAN_VAT_PCT));
}

/** The row that already contains the window, else the next free row. */
function feeRow(texts: FieldTexts, window: { months: string; hours: string }): number {
  const rows = feeRows(texts);
  const same = rows.find(
    (row) =>
      texts.get(`${FEE_PREFIX}${row}.months`) === window.months &&
      texts.get(`${FEE_PREFIX}${row}.hours`) === window.hours,
  );
  return same ?? Math.max(-1, ...rows.filter((row) => !isEmpty(texts, row))) + 1;
}

function feeRows(texts: FieldTexts): number[] {
  const rows = [...texts.keys()]
    .filter((name) => name.startsWith(FEE_PREFIX))
    .map((name) => Number(name.slice(FEE_PREFIX.length).split(".")[0]));
  return [...new Set(rows)].filter((row) => Number.isInteger(row) && row >= 0);
}

function isEmpty(texts: FieldTexts, row: number): boolean {
  return FEE_FIELDS.every(
    ({ path }) => path[0] !== "ct_kwh" || (texts.get(`${FEE_PREFIX}${row}.ct_kwh`) ?? "") === "",
  );
}
