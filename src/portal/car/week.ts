import type { SlotSettings, VehicleSettings } from "../../config/settings.js";
import { typedNumber } from "../../core/number-text.js";
import { WEEKDAYS } from "../ems/field-text.js";
import type { FormBody } from "../form-body.js";

type Weekday = (typeof WEEKDAYS)[number];

/** The departure on a weekday as `HH:MM`; empty: none. */
export function departureOn({ departure }: Pick<VehicleSettings, "departure">, day: Weekday): string {
  return (typeof departure === "string" ? departure : departure[day]) ?? "";
}

/** The slots with the week that a form sets for one of them; undefined for a form that does not fit. */
export function slotsWithWeek(
  slots: readonly SlotSettings[],
  slot: number,
  form: FormBody,
): SlotSettings[] | undefined {
  const times = WEEKDAYS.map((day) => [day, form.text(day)] as const);
  const [target, least] = (["target_soc_pct", "min_soc_pct"] as const).map((name) =>
    typedNumber(form.text(name)),
  );
  const isTime = ([, time]: readonly [Weekday, string]) =>
    time === "" || /^([01]\d|2[0-3]):[0-5]\d$/.test(time);
  const isPct = (value: number | undefined) => Number.isInteger(value) && value! >= 0 && value! <= 100;
  if (!times.every(isTime) || times.every(([, time]) => time === "")) return undefined;
  if (!isPct(target) || !isPct(least) || least! > target!) return undefined;
  const [[, first]] = times as [readonly [Weekday, string]];
  const departure = times.every(([, time]) => time === first)
    ? first
    : (Object.fromEntries(
        times.map(([day, time]) => [day, time === "" ? null : time]),
      ) as VehicleSettings["departure"]);
  return slots.map((one) =>
    one.slot === slot && one.vehicle !== null
      ? {
          ...one,
          vehicle: { ...one.vehicle, departure, target_soc_pct: target!, min_soc_pct: least! },
        }
      : one,
  );
}
