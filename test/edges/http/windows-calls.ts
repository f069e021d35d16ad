import { KEYS, slotSettings } from "../../api/fake-services.js";
import type { Reply } from "./serve.js";

/** The owner's key as a header. */
export const keyed = { "X-API-Key": KEYS.owner };
export const PATH = "/v1/decision/windows";

/** Slot 3 of the plant `home`: a wallbox of 11 kW, 22 to 6 o'clock. */
export const WALLBOX = slotSettings({
  slot: 3,
  label: "Garage",
  power_kw: 11,
  window_start_hour: 22,
  window_end_hour: 6,
  energy_kwh: 22,
});

/** The address of a GET with the parameters. */
export const query = (parameters: Record<string, string | number | boolean>) =>
  `${PATH}?${new URLSearchParams(Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]))}`;

/** The fields that a refusal names. */
export const fieldsOf = ({ json }: Reply): string[] =>
  json.error.details.map((detail: { field: string }) => detail.field);

/** The fake plant's all-in price of an hour since midnight of the 15th, ct/kWh. */
export const allIn = (hour: number) => ((90 + 40 * Math.sin(hour / 3.7) + hour / 10) / 10 + 10) * 1.2;
