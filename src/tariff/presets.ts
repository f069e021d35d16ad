import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { shippedPath } from "../core/installation.js";
import { windowPricing } from "./period-prices.js";
import {
  type EnergyPrice,
  type FeedInPrice,
  type Levy,
  periodsOf,
  type Tariff,
  type TariffPeriod,
} from "./tariff.js";

/** What is known of a preset: name, date of the source, and how it was checked where that is stated. */
export interface PresetEntry {
  id: string;
  name: string;
  asOf: string;
  checked?: string;
}

/** A supplier's product. */
export interface SupplierPreset extends PresetEntry {
  energy: EnergyPrice;
  /** Grid areas whose traditional supplier it is, where it is offered in those alone. */
  incumbentIn?: readonly string[];
}

/** The preset files of config/tariffs. */
export interface TariffPresets {
  areas: PresetEntry[];
  suppliers: SupplierPreset[];
  municipalities: PresetEntry[];
  feedIn: PresetEntry[];
}

/** Which presets make a tariff. */
export interface PresetChoice {
  area: string;
  supplier?: string | undefined;
  municipality?: string | undefined;
  feedIn?: string | undefined;
  /** Without quarter-hour values read by the operator there is no summer low price. */
  summerLow?: boolean | undefined;
}

/** A preset that does not exist, or is not named. */
export class PresetError extends Error {
  override readonly name = "PresetError";

  static unknown(kind: string, id: string, known: readonly string[]): PresetError {
    return new PresetError(`"${id}" is no ${kind}; known are ${known.join(", ")}.`);
  }

  static unknownArea(known: readonly string[]): PresetError {
    return new PresetError(
      `The grid area of the plant is not known: name it with --area (${known.join(", ")}), or name tariffs with --tariffs FILE,FILE.`,
    );
  }
}

interface GridAreas {
  valid_from: string;
  known_until: string;
  as_of: string;
  flat_eur_year: number;
  areas: Record<
    string,
    { name: string; ct_kwh: number; summer_low_ct_kwh: number; loss_ct_kwh: number; vat_pct?: number }
  >;
}
/** The price of the energy (default: spot), the base fee and where the facts come from. */
type Supplier = Partial<EnergyPrice> & {
  name: string;
  as_of: string;
  checked: string;
  base_eur_month?: number;
  incumbent_in?: readonly string[];
};
interface Municipalities {
  as_of: string;
  municipalities: Record<string, { name: string; levies: Omit<Levy, "name">[] }>;
}
interface FeedIn {
  as_of: string;
  oemag: { months: Record<string, number> };
  products: Record<string, FeedInPrice & { name: string; as_of: string }>;
}

const files = new Map<string, unknown>();

/** A preset file, parsed when first used; frozen, because all callers share it. */
function file<Content>(name: string): Content {
  if (!files.has(name)) {
    const path = shippedPath(`config/tariffs/${name}.yaml`);
    files.set(name, deepFrozen(parse(readFileSync(path, "utf8"))));
  }
  return files.get(name) as Content;
}

function deepFrozen(value: unknown): unknown {
  if (typeof value === "object" && value !== null) Object.values(value).forEach(deepFrozen);
  return Object.freeze(value);
}

const gridAreas = () => file<GridAreas>("grid-areas");
const suppliers = () => file<{ suppliers: Record<string, Supplier> }>("suppliers").suppliers;
const municipalities = () => file<Municipalities>("municipalities");
const feedIn = () => file<FeedIn>("feed-in");

/** All presets by kind. */
export function tariffPresets(): TariffPresets {
  const areas = gridAreas();
  const towns = municipalities();
  const feed = feedIn();
  return {
    areas: Object.entries(areas.areas).map(([id, { name }]) => ({ id, name, asOf: areas.as_of })),
    suppliers: Object.entries(suppliers()).map(([id, supplier]) => ({
      id,
      name: supplier.name,
      asOf: supplier.as_of,
      checked: supplier.checked,
      energy: energyOf(supplier),
      ...(supplier.incumbent_in && { incumbentIn: supplier.incumbent_in }),
    })),
    municipalities: Object.entries(towns.municipalities).map(([id, { name }]) => ({
      id,
      name,
      asOf: towns.as_of,
    })),
    feedIn: [
      { id: "oemag", name: "OeMAG market price", asOf: feed.as_of },
      ...Object.entries(feed.products).map(([id, { name, as_of }]) => ({ id, name, asOf: as_of })),
    ],
  };
}

/** Where the figures of a preset come from. */
export interface PresetSource extends PresetEntry {
  kind: "area" | "supplier" | "municipality" | "feed-in" | "levies";
}

/** The presets of a choice with the dates of their sources; the levies of the country come with a grid area. Throws PresetError. */
export function presetSources(
  choice: Omit<PresetChoice, "area"> & { area?: string | undefined },
): PresetSource[] {
  const { areas, suppliers, municipalities, feedIn } = tariffPresets();
  const found = (
    kind: PresetSource["kind"],
    id: string | undefined,
    entries: readonly PresetEntry[],
  ): PresetSource[] => {
    if (id === undefined) return [];
    const entry = entries.find((one) => one.id === id);
    if (entry !== undefined) return [{ kind, ...entry }];
    throw PresetError.unknown(
      KIND_NAMES[kind],
      id,
      entries.map((one) => one.id),
    );
  };
  const { as_of: asOf } = file<{ as_of: string }>("levies");
  return [
    ...found("area", choice.area, areas),
    ...(choice.area === undefined ? [] : [{ kind: "levies" as const, id: "levies", name: "Levies", asOf }]),
    ...found("supplier", choice.supplier, suppliers),
    ...found("municipality", choice.municipality, municipalities),
    ...found("feed-in", choice.feedIn, feedIn),
  ];
}

/** What a kind of preset is called in messages. */
const KIND_NAMES = {
  area: "grid area",
  supplier: "supplier",
  municipality: "municipality",
  "feed-in": "feed-in product",
  levies: "list of levies",
} as const;

/** Kinds that a preset may be named with: `area:wien`. */
const NAMED_KINDS = {
  area: "areas",
  supplier: "suppliers",
  municipality: "municipalities",
  "feed-in": "feedIn",
} as const;

/** The choice that names of presets make: ids, with the kind before them where several kinds have the id. Throws PresetError. */
export function presetChoice(
  names: readonly string[],
): Omit<PresetChoice, "area"> & { area?: string | undefined } {
  const presets = tariffPresets();
  const kinds = Object.keys(NAMED_KINDS) as (keyof typeof NAMED_KINDS)[];
  const chosen = new Map<string, string>();
  for (const name of names) {
    const [kind, id] = name.includes(":")
      ? [name.split(":")[0]!, name.slice(name.indexOf(":") + 1)]
      : ["", name];
    if (kind !== "" && !kinds.some((one) => one === kind)) {
      throw new PresetError(
        `"${kind}" in "${name}" is an unknown preset type; the types are ${kinds.join(", ")}.`,
      );
    }
    const matching = kinds.filter(
      (one) => (kind === "" || one === kind) && presets[NAMED_KINDS[one]].some((entry) => entry.id === id),
    );
    const [match, ...others] = matching;
    if (match === undefined) {
      throw new PresetError(`There is no preset "${name}". The list: hourgate tariff list.`);
    }
    if (others.length > 0) {
      const forms = matching.map((one) => `${one}:${id}`).join(" or ");
      throw new PresetError(`"${id}" names several presets: write ${forms}.`);
    }
    if (chosen.has(match)) {
      throw new PresetError(`Two presets are named for ${match}: ${chosen.get(match)} and ${id}; name one.`);
    }
    chosen.set(match, id);
  }
  return {
    area: chosen.get("area"),
    supplier: chosen.get("supplier"),
    municipality: chosen.get("municipality"),
    feedIn: chosen.get("feed-in"),
  };
}

/**
 * The tariff of a grid area, a supplier and a municipality from the presets. The metering fee is not in any of them: it differs
 * by meter and is on the grid operator's invoice. Throws PresetError.
 */
export function tariffOfPresets(choice: PresetChoice): TariffPeriod[] {
  const areas = gridAreas();
  const area = entryOf(areas.areas, choice.area, "grid area");
  const supplier =
    choice.supplier === undefined ? undefined : entryOf(suppliers(), choice.supplier, "supplier");
  const town =
    choice.municipality === undefined
      ? undefined
      : entryOf(municipalities().municipalities, choice.municipality, "municipality");
  const normal = { ct_kwh: area.ct_kwh };
  const low = { months: "4-9", from: "10:00", to: "16:00", ct_kwh: area.summer_low_ct_kwh };
  return [
    {
      valid_from: areas.valid_from,
      known_until: presetsKnownUntil(),
      energy: supplier === undefined ? { type: "spot" } : energyOf(supplier),
      ...(supplier?.base_eur_month && { energy_base_fee: { eur_month: supplier.base_eur_month } }),
      grid_usage: {
        windows: choice.summerLow === false ? [normal] : [normal, low],
        flat_eur_year: areas.flat_eur_year,
      },
      grid_loss: { ct_kwh: area.loss_ct_kwh },
      levies: file<{ levies: Levy[] }>("levies").levies,
      ...(town && { municipal_levy: town.levies.map((levy) => ({ name: "Gebrauchsabgabe", ...levy })) }),
      vat_pct: area.vat_pct ?? 20,
      ...(choice.feedIn !== undefined && { feed_in: feedInOf(choice.feedIn) }),
    },
  ];
}

/** The grid area whose work price the newest period of a tariff has; undefined if none or several have it. */
export function areaOf(tariff: Tariff): string | undefined {
  const usage = periodsOf(tariff).at(-1)?.grid_usage;
  const ctKwh = windowPricing(usage?.windows, usage?.ct_kwh ?? 0, "grid_usage.windows").baseCtKwh;
  const found = Object.entries(gridAreas().areas).filter(([, area]) => area.ct_kwh === ctKwh);
  return found.length === 1 ? found[0]![0] : undefined;
}

/** The last day for which grid fees and levies of the presets are known, `YYYY-MM-DD`. */
export function presetsKnownUntil(): string {
  return [gridAreas().known_until, file<{ known_until: string }>("levies").known_until].sort()[0]!;
}

function energyOf({
  name: _,
  as_of,
  checked,
  base_eur_month,
  incumbent_in,
  ...energy
}: Supplier): EnergyPrice {
  return { type: "spot", ...energy };
}

function feedInOf(id: string): FeedInPrice {
  const { oemag, products } = feedIn();
  if (id === "oemag") return { type: "monthly", months: oemag.months };
  const { name: _, as_of: __, ...price } = entryOf(products, id, "feed-in product", ["oemag"]);
  return price;
}

function entryOf<Entry>(
  entries: Readonly<Record<string, Entry>>,
  id: string,
  kind: string,
  others: readonly string[] = [],
): Entry {
  if (!Object.hasOwn(entries, id)) throw PresetError.unknown(kind, id, [...others, ...Object.keys(entries)]);
  return entries[id]!;
}
