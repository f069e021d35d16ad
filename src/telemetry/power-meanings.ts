import type { Interval } from "../core/domain/interval.js";
import { type Reading, readingOfSlot } from "../core/domain/sample.js";
import type { SlotNumber } from "../core/domain/slot.js";
import {
  agreeingMeanings,
  deviceQuarters,
  type MeteredDevice,
  type MeterFlows,
  meaningByCounter,
  meterBalance,
  type PowerMeaning,
  type QuarterEnergies,
} from "./agreeing-readings.js";
import type { MeteredEnergy } from "./metered-energy.js";
import { Quarters } from "./quarters.js";
import {
  counted,
  isShort,
  measuredFlows,
  possible,
  powerQuarters,
  type Readings,
} from "./reading-energies.js";
import type { LimitsByReading } from "./reading-limits.js";
import { type MeasuredBattery, OFTEN_MS } from "./soc-correction.js";

/** What the powers of a site are compared with. */
export interface PoweredSite {
  battery: MeasuredBattery | undefined;
  /** Whether it has PV, and so feeds in. */
  withPv: boolean;
  metered: MeteredEnergy;
  /** Devices that are compared; `isOutside`: not part of `load_power_kw`. */
  slots: readonly { slot: SlotNumber; isWallbox: boolean; isOutside: boolean }[];
  limits: LimitsByReading;
}

const BATTERY: readonly Reading[] = ["battery_power_kw", "charge_kwh", "discharge_kwh", "soc_pct"];

/** How each power of a site is read by the rule of `agreeingMeanings`; without counters of the meter as that of an instant. */
export function powerMeanings(
  readings: Readings,
  stretch: Interval,
  { battery, withPv, metered, slots, limits }: PoweredSite,
): (reading: Reading) => PowerMeaning {
  if (!hasRarePowers(readings, stretch)) return () => "instant";
  const counter = (reading: Reading) =>
    new Quarters(stretch, counted(readings, reading, limits).filter(isShort));
  const [imported, exported] = [counter("import_kwh"), counter("export_kwh")];
  const [meteredImport, meteredExport] = [metered.gridImport, metered.gridExport].map(
    (pieces) => new Quarters(stretch, pieces),
  );
  const quarters = <T>(of: (index: number) => T) => Array.from({ length: imported.count }, (_, t) => of(t));
  const meter = quarters(
    (t): MeterFlows => ({
      importKwh: meteredImport!.kwh(t) ?? imported.kwh(t),
      exportKwh: withPv ? (meteredExport!.kwh(t) ?? exported.kwh(t)) : 0,
    }),
  );
  const deviceOf = (reading: Reading, own: QuarterEnergies): MeteredDevice => {
    const powers = possible(readings, reading, limits);
    const by = (meaning: PowerMeaning) => powerQuarters(powers, stretch, meaning);
    const instant = by("instant");
    return { counted: own, byPower: { instant, mean: by("mean"), corrected: instant } };
  };
  const usable: Readings = { ...readings };
  for (const reading of ["pv_power_kw", "battery_power_kw", "soc_pct"] as const)
    usable[reading] = possible(readings, reading, limits);
  // Without readings it counts as idle.
  const read = BATTERY.some((reading) => (readings[reading] ?? []).length > 0) ? battery : undefined;
  const flowsBy = (meaning: PowerMeaning) => measuredFlows(usable, stretch, read, { meaning, limits });
  const flows = { instant: flowsBy("instant"), mean: flowsBy("mean"), corrected: flowsBy("corrected") };
  // The vehicles' power is that of the wallboxes.
  const isVehicleRead = (readings.ev_power_kw ?? []).length > 0;
  const devices: PoweredDevice[] = slots.flatMap(({ slot, isWallbox, isOutside }) => {
    const own = counter(readingOfSlot(slot, "energy_kwh"));
    const reading = readingOfSlot(slot, "power_kw");
    return isWallbox && isVehicleRead
      ? []
      : [
          {
            reading,
            isOutside,
            ...deviceOf(
              reading,
              quarters((t) => own.kwh(t)),
            ),
          },
        ];
  });
  if (isVehicleRead)
    devices.push({
      reading: "ev_power_kw",
      isOutside: slots.some((one) => one.isWallbox && one.isOutside),
      ...deviceOf("ev_power_kw", []),
    });
  const agreed = agreeingMeanings(meter, flows, devices);
  const meanings = new Map<Reading, PowerMeaning>(
    devices.map(({ reading }, index) => [reading, agreed.devices[index]!]),
  );
  meanings.set("pv_power_kw", agreed.flows).set("battery_power_kw", agreed.flows);
  const outside = devices.map((device, index) =>
    device.isOutside ? deviceQuarters(device, agreed.devices[index]!) : [],
  );
  const load = meterBalance(meter, flows[agreed.flows]).map((net, t) => {
    if (net === undefined) return undefined;
    const everything = net + (flows[agreed.flows][t]!.pvKwh ?? 0);
    return outside.reduce((kwh, device) => kwh - (device[t] ?? 0), everything);
  });
  const drawn = meter.map(({ importKwh, exportKwh }) =>
    importKwh === undefined || exportKwh === undefined ? undefined : importKwh - exportKwh,
  );
  meanings.set("load_power_kw", meaningByCounter(deviceOf("load_power_kw", load)));
  meanings.set("grid_power_kw", meaningByCounter(deviceOf("grid_power_kw", drawn)));
  return (reading) => meanings.get(reading) ?? "instant";
}

function hasRarePowers(readings: Readings, { start, end }: Interval): boolean {
  const most = (end.getTime() - start.getTime()) / OFTEN_MS;
  return Object.entries(readings).some(
    ([name, values = []]) => name.endsWith("power_kw") && values.length > 0 && values.length < most,
  );
}

interface PoweredDevice extends MeteredDevice {
  reading: Reading;
  isOutside: boolean;
}
