import type { Site } from "../../config/site.js";
import { HOUR_MS, type Interval } from "../../core/domain/interval.js";
import { type Reading, readingOfSlot } from "../../core/domain/sample.js";
import { SLOT_NUMBERS, type SlotNumber } from "../../core/domain/slot.js";
import { isOnlyWallbox } from "../../core/domain/slots-apart.js";
import type { SampleArchive } from "../../store/sample-archive.js";
import type { MeteredDevice } from "../../telemetry/agreeing-readings.js";
import { plausibleReadings } from "../../telemetry/plausible-history.js";
import { powerPieces, Quarters } from "../../telemetry/quarters.js";
import { powerQuarters } from "../../telemetry/reading-energies.js";
import { powerRange, readingLimits } from "../../telemetry/reading-limits.js";
import { correctedBySoc } from "../../telemetry/soc-correction.js";
import { counterQuarters } from "../bill/counter-quarters.js";

/** What a slot measured in each quarter-hour. */
export interface SlotReadings extends MeteredDevice {
  slot: SlotNumber;
}

/** Energy of each quarter-hour of the slots of a site, by the counter of the device and by its power. */
export async function slotReadings(
  sources: { samples: Pick<SampleArchive, "range"> },
  { id, plant }: Site,
  day: Interval,
): Promise<SlotReadings[]> {
  const used = SLOT_NUMBERS.filter((slot) => plant.slots.some((one) => one.slot === slot));
  const slots: SlotReadings[] = [];
  const from = new Date(day.start.getTime() - HOUR_MS);
  const to = new Date(day.end.getTime() + HOUR_MS);
  const limits = readingLimits(plant);
  for (const slot of used) {
    const counter = readingOfSlot(slot, "energy_kwh");
    let power: Reading = readingOfSlot(slot, "power_kw");
    let powers = await sources.samples.range(id, power, from, to);
    if (powers.length === 0 && isOnlyWallbox(plant.slots, slot)) {
      power = "ev_power_kw";
      powers = await sources.samples.range(id, power, from, to);
    }
    const counts = await sources.samples.range(id, counter, from, to);
    const possible = plausibleReadings(powers, limits.get(power));
    const instant = powerQuarters(possible, day);
    const vehicle = plant.slots.find((one) => one.slot === slot)?.vehicle;
    let corrected = instant;
    if (vehicle) {
      const reading = readingOfSlot(slot, "soc_pct");
      const soc = plausibleReadings(await sources.samples.range(id, reading, from, to), limits.get(reading));
      const storage = { capacityKwh: vehicle.capacity_kwh, oneWayEfficiency: vehicle.efficiency_pct / 100 };
      // A vehicle that is driven is not discharged at the wallbox.
      const range = { maxKw: Number.POSITIVE_INFINITY, ...powerRange(limits, power), minKw: 0 };
      corrected = new Quarters(day, correctedBySoc(powerPieces(possible), soc, storage, range)).all();
    }
    slots.push({
      slot,
      counted: counterQuarters(counts, day, limits.get(counter)),
      byPower: { instant, mean: powerQuarters(possible, day, "mean"), corrected },
    });
  }
  return slots;
}
