import {
  type PresetChoice,
  type PresetSource,
  presetSources,
  tariffOfPresets,
  tariffPresets,
} from "./presets.js";
import { isAlways } from "./price-windows.js";
import {
  type FeedInPrice,
  type FlatTariff,
  type PriceWindow,
  periodsOf,
  type Tariff,
  type TariffPeriod,
} from "./tariff.js";

/** Parts of a period that presets have values for. */
const PARTS = [
  "energy",
  "energy_base_fee",
  "grid_usage.windows",
  "grid_usage.flat_eur_year",
  "grid_loss",
  "levies",
  "municipal_levy",
  "vat_pct",
  "feed_in",
] as const;
export type PresetPart = (typeof PARTS)[number];

/** Which kind of preset has the values of a part. */
const KIND_OF: Record<PresetPart, PresetSource["kind"]> = {
  energy: "supplier",
  energy_base_fee: "supplier",
  "grid_usage.windows": "area",
  "grid_usage.flat_eur_year": "area",
  grid_loss: "area",
  levies: "levies",
  municipal_levy: "municipality",
  vat_pct: "area",
  feed_in: "feed-in",
};

/** A tariff with presets applied. */
export interface AppliedTariff {
  tariff: TariffPeriod[];
  /** Parts that now have the value of a preset. */
  applied: { part: PresetPart; value: unknown; source: PresetSource }[];
  /** Parts whose value was typed in and differs from the preset's. */
  kept: { part: PresetPart; value: unknown; preset: unknown }[];
}

/** Presets by kind; those left out leave their parts as they are. */
export type AppliedChoice = Omit<PresetChoice, "area"> & { area?: string | undefined };

/**
 * Puts the values of presets into the last period of a tariff. What was typed in stays: a value is replaced only if it is
 * missing, or the value of some preset. Throws PresetError.
 */
export function applyPresets(own: Tariff | null, choice: AppliedChoice): AppliedTariff {
  const anyArea = tariffPresets().areas[0]!.id;
  const [preset] = tariffOfPresets({ ...choice, area: choice.area ?? anyArea });
  const sources = presetSources(choice);
  const periods = own === null ? [{}] : ownPeriods(own);
  const period: TariffPeriod = structuredClone({ ...periods.at(-1)! });
  const applied: AppliedTariff["applied"] = [];
  const kept: AppliedTariff["kept"] = [];
  for (const part of PARTS) {
    const source = sources.find(({ kind }) => kind === KIND_OF[part]);
    if (source === undefined) continue;
    const [value, given] = [partOf(period, part), partOf(preset!, part)];
    if (
      value !== undefined &&
      !isSame(value, given) &&
      !presetValues(part).some((one) => isSame(one, value))
    ) {
      kept.push({ part, value, preset: given ?? null });
      continue;
    }
    setValue(period, part, given);
    if (given !== undefined) applied.push({ part, value: given, source });
  }
  if (applied.some(({ part }) => part === "levies" || part === "grid_usage.windows")) {
    period.known_until = preset!.known_until;
  }
  return { tariff: [...periods.slice(0, -1), period], applied, kept };
}

/** The periods of a tariff in the form of the configuration, the short form as one period. */
export function ownPeriods(tariff: Tariff): readonly TariffPeriod[] {
  return Array.isArray(tariff) ? periodsOf(tariff) : [typedPeriod(tariff as FlatTariff)];
}

/** What the short form says beyond its defaults, as a period in the form of the configuration. */
function typedPeriod(flat: FlatTariff): TariffPeriod {
  const [whole] = periodsOf(flat);
  const { energy, levies, vat_pct } = whole!;
  const windows = whole!.grid_usage?.windows?.map(withClockTimes);
  const grid_usage = windows === undefined ? whole!.grid_usage : { windows };
  // The short form has null where the type of the price needs no amount.
  const entries = Object.entries(whole!.feed_in ?? {}).filter(([, value]) => value !== null);
  const feed_in = whole!.feed_in && (Object.fromEntries(entries) as unknown as FeedInPrice);
  const hasEnergy = Boolean(energy?.markup_ct_kwh || energy?.markup_pct);
  const hasGrid = Boolean(grid_usage?.ct_kwh || grid_usage?.windows?.length);
  return {
    ...(hasEnergy && { energy }),
    ...(hasGrid && { grid_usage }),
    ...(levies?.some(({ ct_kwh }) => ct_kwh) && { levies }),
    ...(vat_pct && { vat_pct }),
    ...(feed_in && { feed_in }),
  };
}

/** A time window of the short form, `hours: 10-16`, as periods have it: `from: "10:00"`, `to: "16:00"`. */
function withClockTimes({ hours, ...window }: PriceWindow): PriceWindow {
  if (hours === undefined || isAlways({ hours })) return window;
  const [from = 0, to = 24] = hours.split("-").map(Number);
  const clock = (hour: number) => `${String(hour).padStart(2, "0")}:00`;
  return { ...window, from: clock(from), to: clock(to) };
}

/** The values that a part has in any preset. */
function presetValues(part: PresetPart): unknown[] {
  const { areas, suppliers, municipalities, feedIn } = tariffPresets();
  const area = areas[0]!.id;
  const choices: PresetChoice[] = {
    area: areas.flatMap(({ id }) => [{ area: id }, { area: id, summerLow: false }]),
    // A fixed price may be typed in and happen to be that of a supplier.
    supplier: [
      { area },
      ...suppliers.filter(({ energy }) => energy.type === "spot").map(({ id }) => ({ area, supplier: id })),
    ],
    municipality: municipalities.map(({ id }) => ({ area, municipality: id })),
    "feed-in": feedIn.map(({ id }) => ({ area, feedIn: id })),
    levies: [{ area }],
  }[KIND_OF[part]];
  return choices.map((choice) => partOf(tariffOfPresets(choice)[0]!, part));
}

function partOf(period: TariffPeriod, part: PresetPart): unknown {
  switch (part) {
    case "grid_usage.windows": {
      const { windows, ct_kwh } = period.grid_usage ?? {};
      return windows ?? (ct_kwh === undefined ? undefined : [{ ct_kwh }]);
    }
    case "grid_usage.flat_eur_year":
      return period.grid_usage?.flat_eur_year;
    default:
      return period[part] ?? undefined;
  }
}

function setValue(period: TariffPeriod, part: PresetPart, value: unknown): void {
  if (part === "grid_usage.windows") {
    const { ct_kwh: _, ...usage } = period.grid_usage ?? {};
    period.grid_usage = { ...usage, windows: value as NonNullable<TariffPeriod["grid_usage"]>["windows"] };
  } else if (part === "grid_usage.flat_eur_year") {
    period.grid_usage = { ...period.grid_usage, flat_eur_year: value as number };
  } else if (value === undefined) delete period[part];
  else Object.assign(period, { [part]: value });
}

/** Equal in all members, in any order; undefined and null members do not count. */
export function isSame(a: unknown, b: unknown): boolean {
  return text(a) === text(b);
}

function text(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.entries(inner)
            .filter(([, member]) => member !== null && member !== undefined)
            .sort(([x], [y]) => (x < y ? -1 : 1)),
        )
      : inner,
  );
}
