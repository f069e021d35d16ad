import type { Site } from "../../config/site.js";
import { HOUR_MS, type Interval } from "../../core/domain/interval.js";
import { type Reading, readingOfSlot } from "../../core/domain/sample.js";
import { SLOT_NUMBERS, type SlotNumber } from "../../core/domain/slot.js";
import { isOnlyWallbox } from "../../core/domain/slots-apart.js";
import type { SampleArchive } from "../../store/sample-archive.js";
import { powerQuarters } from "../../telemetry/measured-load.js";
import { plausibleReadings } from "../../telemetry/plausible-history.js";
import { readingLimits } from "../../telemetry/reading-limits.js";
import { counterQuarters } from "../bill/counter-quarters.js";

/** Energy of each quarter-hour of the slots that report it: by the counter of the device, else by its power. */
export async function slotEnergies(
  sources: { samples: Pick<SampleArchive, "range"> },
  { id, plant }: Site,
  day: Interval,
) {
  const used = SLOT_NUMBERS.filter((slot) => plant.slots.some((one) => one.slot === slot));
  const energies: { slot: SlotNumber; kwh: (number | undefined)[] }[] = [];
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
    const byPower = powerQuarters(plausibleReadings(powers, limits.get(power)), day);
    const byCounter = counterQuarters(counts, day, limits.get(counter));
    energies.push({ slot, kwh: byCounter.map((kwh, t) => kwh ?? byPower[t]) });
  }
  return energies;
}
