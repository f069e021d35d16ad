import { AUSTRIAN_VAT_PCT, gridFeeWithSummerLow } from "../../config/presets.js";
import { type SupplierPreset, tariffPresets } from "../../tariff/presets.js";
import { type FieldTexts, textOf, typedValue } from "./field-text.js";
import { FEE_BASE, FEE_PREFIX, fieldsOf, rowNames, rowsIn } from "./fields.js";
import { prefixOf } from "./sections.js";

/** Ready-made tariffs. */
export const TARIFF_PRESETS = ["spot_vat", "summer_low"] as const;

/** Suppliers whose price the short form of a tariff can say: the hourly market price with a markup. */
export function hourlySuppliers(): SupplierPreset[] {
  return tariffPresets().suppliers.filter(
    ({ energy }) => energy.type === "spot" && energy.settlement_minutes === 60 && energy.pct_of !== "signed",
  );
}

/** What the button of a preset enters in the form. */
interface Preset {
  /** Texts by field, over those of the form. */
  texts: FieldTexts;
  /** Rows that it removes, by their prefix. */
  removedRows: readonly string[];
}

/** The preset of a name over the texts of a form; one without effect for any other name. */
export function presetOf(name: string, texts: FieldTexts): Preset {
  if (name === "spot_vat") return marketPrice(texts);
  if (name === "summer_low") return { texts: summerLow(texts), removedRows: [] };
  const supplier = hourlySuppliers().find(({ id }) => id === name);
  return { texts: supplier === undefined ? new Map() : surcharge(supplier), removedRows: [] };
}

/** The market price and value added tax alone. */
function marketPrice(texts: FieldTexts): Preset {
  const prefix = prefixOf("tariff");
  return {
    texts: new Map([
      ...fieldsOf("tariff").map(({ path, node }) => [prefix + path.join("."), textOf(node.default)] as const),
      [`${prefix}grid_fee_ct_kwh`, "0"],
      [`${prefix}vat_pct`, textOf(AUSTRIAN_VAT_PCT)],
    ]),
    removedRows: rowNames(texts.keys(), FEE_PREFIX).map((row) => `${FEE_PREFIX}${row}.`),
  };
}

/** The grid fee of the form with the lower one of summer, in the row of its window or in the next one. */
function summerLow(texts: FieldTexts): FieldTexts {
  const base = typedValue(texts.get("tariff.grid_fee_ct_kwh") ?? "", FEE_BASE);
  // Without a fee there is nothing to take 20 % off.
  if (typeof base !== "number") return new Map();
  const [, window] = gridFeeWithSummerLow(base);
  const { months, hours } = window!;
  const textAt = (row: string, key: string) => texts.get(`${FEE_PREFIX}${row}.${key}`);
  const same = rowNames(texts.keys(), FEE_PREFIX).find(
    (row) => textAt(row, "months") === months && textAt(row, "hours") === hours,
  );
  const row = same ?? Math.max(-1, ...rowsIn(texts, "fee").map(Number)) + 1;
  return new Map(
    Object.entries(window!).map(([key, value]) => [`${FEE_PREFIX}${row}.${key}`, textOf(value)]),
  );
}

/** The surcharge of a supplier; grid fee, levies and feed-in are unchanged. */
function surcharge({ energy }: SupplierPreset): FieldTexts {
  const prefix = prefixOf("tariff");
  return new Map([
    [`${prefix}markup_ct_kwh`, textOf(energy.markup_ct_kwh ?? 0)],
    [`${prefix}markup_pct`, textOf(energy.markup_pct ?? 0)],
    [`${prefix}vat_pct`, textOf(AUSTRIAN_VAT_PCT)],
  ]);
}
