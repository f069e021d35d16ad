import type { PvArraySettings, PvSettings } from "../../config/settings.js";

/** The arrays as their rows show them: the power of a shared inverter is shown at each of its arrays. */
export function arrayRows({ pv, inverters }: PvSettings): PvArraySettings[] {
  return pv.map((array) => ({
    ...array,
    inverter_kw: inverters.find(({ id }) => id === array.inverter)?.kw ?? array.inverter_kw,
  }));
}

/** Arrays and inverters of edited rows; `rowOf` is the row at which the power of each inverter was typed or stands. */
export interface EditedArrays {
  pv: Record<string, unknown>[];
  inverters: { id: string; kw: unknown }[];
  rowOf: readonly string[];
}

/**
 * The settings of the rows of a form. The power of an inverter is the one that was typed at one of its arrays, otherwise the
 * one that it has. Two that were typed, and a new inverter without power, are left to the check of the configuration.
 */
export function arraysOfRows(
  rows: readonly { name: string; value: Record<string, unknown> }[],
  held: PvSettings,
): EditedArrays {
  const shown = arrayRows(held);
  const named = rows.flatMap(({ name, value: { inverter, inverter_kw: kw } }) =>
    typeof inverter === "string" ? [{ name, id: inverter, kw }] : [],
  );
  const entries = [...new Set(named.map(({ id }) => id))].flatMap((id) => {
    const own = named.filter((row) => row.id === id && row.kw !== null && row.kw !== undefined);
    const typed = own.filter(({ name, kw }) => kw !== shown[Number(name)]?.inverter_kw);
    const before = held.inverters.find((one) => one.id === id);
    if (typed.length === 0 && before !== undefined) {
      const name = named.find((row) => row.id === id)!.name;
      return [{ name, id, kw: before.kw as unknown }];
    }
    const distinct = typed.length > 0 ? typed : own;
    return distinct.filter(({ kw }, index) => distinct.findIndex((one) => one.kw === kw) === index);
  });
  return {
    pv: rows.map(({ value: { inverter_kw: kw, ...value } }) =>
      typeof value.inverter === "string" ? value : { ...value, inverter_kw: kw },
    ),
    inverters: entries.map(({ id, kw }) => ({ id, kw })),
    rowOf: entries.map(({ name }) => name),
  };
}
