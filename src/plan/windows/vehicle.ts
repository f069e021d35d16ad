import type { SlotSettings, VehicleSettings } from "../../config/settings.js";
import { chargingPower, fixedBatteryShare } from "../../config/slot-rules.js";
import { HOUR_MS } from "../../core/domain/interval.js";
import { addDays, instantOf, localDate } from "../../core/time/zone.js";
import type { FlexRequest } from "./request.js";

const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** A vehicle as it is planned; energies kWh stored, powers kW at the wallbox. */
export interface PlannedVehicle {
  storedKwh: number;
  minKwh: number;
  targetKwh: number;
  efficiency: number;
  minPowerKw: number;
  maxPowerKw: number;
}

/** The vehicle of a slot at a state of charge; without one it counts as just reaching its least. */
export function vehicleOf(
  { power_kw }: Pick<SlotSettings, "power_kw">,
  vehicle: VehicleSettings,
  socPct: number | undefined,
): PlannedVehicle {
  const { minKw, maxKw } = chargingPower(vehicle, power_kw);
  const kwh = (pct: number) => (vehicle.capacity_kwh * pct) / 100;
  return {
    storedKwh: kwh(socPct ?? vehicle.min_soc_pct),
    minKwh: kwh(vehicle.min_soc_pct),
    targetKwh: kwh(vehicle.target_soc_pct),
    efficiency: vehicle.efficiency_pct / 100,
    minPowerKw: Math.min(minKw, maxKw),
    maxPowerKw: maxKw,
  };
}

/** Departures after `now` and up to `until`, in order of time; one at `leavesAt` in place of all until the end of its day. */
export function departuresOf(
  { departure }: Pick<VehicleSettings, "departure">,
  { now, until, zone, leavesAt }: { now: Date; until: Date; zone: string; leavesAt?: Date | undefined },
): Date[] {
  const isOnce = leavesAt !== undefined && leavesAt > now;
  const departures: Date[] = isOnce ? [leavesAt] : [];
  const first = isOnce ? addDays(localDate(leavesAt, zone), 1) : localDate(now, zone);
  for (let date = first; ; date = addDays(date, 1)) {
    const midnight = instantOf(date, 0, zone);
    if (midnight > until) return departures;
    const weekday = WEEKDAYS[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7]!;
    const time = typeof departure === "string" ? departure : departure[weekday];
    if (time === undefined || time === null) continue;
    const [hour, minute] = time.split(":").map(Number) as [number, number];
    const at = new Date(instantOf(date, hour, zone).getTime() + minute * 60_000);
    if (at > now && at <= until) departures.push(at);
  }
}

/** Hour from which a vehicle is at its wallbox where the settings do not say it. */
const RETURN_HOUR = 18;

/** A vehicle may be this late; after that it is expected on the next day. */
const LATE_MS = 3 * HOUR_MS;

/** When a vehicle that left before `from` is expected back at its wallbox; undefined where its usual use is not known. */
export function expectedReturn(
  { kind, vehicle, energy_kwh, window_start_hour }: SlotSettings,
  from: Date,
  zone: string,
): Date | undefined {
  const isKnown = kind === "wallbox" && energy_kwh !== null && energy_kwh > 0;
  const hour = window_start_hour ?? (vehicle === null ? undefined : RETURN_HOUR);
  if (!isKnown || hour === undefined) return undefined;
  const date = localDate(from, zone);
  const today = instantOf(date, hour, zone);
  return today > from ? today : instantOf(addDays(date, 1), hour, zone);
}

/** When a vehicle that is away now is expected back: at its usual hour, or now where it is a little late. */
export function nextReturn(slot: SlotSettings, now: Date, zone: string): Date | undefined {
  const usual = expectedReturn(slot, new Date(now.getTime() - LATE_MS), zone);
  return usual === undefined || usual > now ? usual : now;
}

/** The vehicle of a slot as it is expected: one that is to come back has what its usual trip leaves. */
export function expectedVehicle(
  slot: SlotSettings & { vehicle: VehicleSettings },
  { socPct, comesBack }: { socPct: number | undefined; comesBack: boolean },
): PlannedVehicle & { dailyKwh: number } {
  const vehicle = vehicleOf(slot, slot.vehicle, socPct);
  const dailyKwh = (slot.energy_kwh ?? 0) * vehicle.efficiency;
  if (!comesBack) return { ...vehicle, dailyKwh };
  const leftKwh = Math.max(0, vehicle.targetKwh - dailyKwh);
  return { ...vehicle, storedKwh: Math.min(vehicle.storedKwh, leftKwh), dailyKwh };
}

/** The demand of a vehicle until its next departure; undefined without a departure in the horizon. */
export function vehicleRequest(
  slot: SlotSettings,
  {
    socPct,
    returnsAt,
    leavesAt,
    now,
    until,
    zone,
  }: {
    socPct?: number | undefined;
    /** When a vehicle that is away is expected back. */
    returnsAt?: Date | undefined;
    /** A departure in place of the usual ones of its day and before. */
    leavesAt?: Date | undefined;
    now: Date;
    until: Date;
    zone: string;
  },
): FlexRequest | undefined {
  const { vehicle } = slot;
  if (vehicle === null) return undefined;
  const [end] = departuresOf(vehicle, { now, until, zone, leavesAt });
  if (end === undefined) return undefined;
  const comesBack = returnsAt !== undefined && returnsAt < end;
  const { storedKwh, minKwh, targetKwh, efficiency, maxPowerKw } = expectedVehicle(
    { ...slot, vehicle },
    { socPct, comesBack },
  );
  return {
    gridMinutes: 15,
    window: { kind: "fixed", ...(comesBack && returnsAt > now && { start: returnsAt }), end },
    energyKwh: Math.max(0, targetKwh - storedKwh) / efficiency,
    atOnceKwh: Math.max(0, minKwh - storedKwh) / efficiency,
    maxPowerKw,
    consecutive: "off",
    batterySharePct: fixedBatteryShare(slot),
  };
}
