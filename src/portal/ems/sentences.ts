import { nearestRegion } from "../../config/postcodes.js";
import type { SlotSettings } from "../../config/settings.js";
import type { Language } from "../../core/language.js";
import { deviceLabel } from "../../plan/windows/slot-schedule.js";
import { ownPeriods } from "../../tariff/apply-presets.js";
import { periodAt } from "../../tariff/tariff.js";
import { textsOf } from "../../texts/index.js";
import { departureWords } from "./changes.js";
import { textOf } from "./field-text.js";
import type { HeldSettings } from "./held-texts.js";
import type { Subject } from "./sections.js";
import { energyWords, feesWords } from "./tariff-words.js";

interface SentenceFacts {
  held: HeldSettings;
  language: Language;
  /** Local date. */
  today: string;
  /** The price of the present hour, ct/kWh. */
  ctKwh: number | undefined;
}

/** What is set in a subject, as a sentence to the owner. */
export function sentenceOf(subject: Subject, { held, language, today, ctKwh }: SentenceFacts): string {
  const { sentences, directions } = textsOf(language).home;
  const { locale } = textsOf(language).format;
  const number = (value: number, digits = 2) =>
    value.toLocaleString(locale, { maximumFractionDigits: digits });
  const { plant, telemetry } = held;
  switch (subject) {
    case "place": {
      const { latitude, longitude } = plant;
      if (latitude === null || longitude === null) return sentences.noPlace;
      const region = nearestRegion(latitude, longitude);
      return region === undefined
        ? sentences.place(number(latitude), number(longitude))
        : sentences.placeNear(region.name);
    }
    case "battery": {
      const { battery, batteries } = plant;
      if (battery === null) return sentences.noBattery;
      const [kwh, kw] = [number(battery.capacity_kwh), number(battery.max_charge_power_kw)];
      return batteries.length > 1
        ? sentences.batteries(batteries.length, kwh, kw)
        : sentences.battery(kwh, kw);
    }
    case "pv": {
      const { pv } = plant;
      const words = pv.map(({ azimuth_deg: deg }) => directions[Math.round(deg / 45) % 8]!);
      const peakKw = number(pv.reduce((sum, { peak_kw }) => sum + peak_kw, 0));
      return pv.length === 0 ? sentences.noPv : sentences.pv(peakKw, [...new Set(words)].join(", "));
    }
    case "load":
      return sentences.load(number(plant.load.daily_kwh * 365, 0));
    case "grid": {
      const { import_limit_kw: importKw, export_limit_kw: exportKw } = plant.grid;
      const limits = [
        ...(importKw === null ? [] : [sentences.importLimit(number(importKw))]),
        ...(exportKw === null ? [] : [sentences.exportLimit(number(exportKw))]),
      ];
      return limits.length === 0 ? sentences.noLimits : sentences.limits(limits.join(", "));
    }
    case "tariff": {
      if (plant.tariff === null) return sentences.noTariff;
      const period = periodAt(ownPeriods(plant.tariff), today);
      const nowCt = ctKwh === undefined ? undefined : number(ctKwh, 1);
      return sentences.tariff(energyWords(period, language), feesWords(period, language), nowCt);
    }
    case "slots": {
      const others = plant.slots.filter(({ kind }) => kind !== "wallbox");
      const names = others.map((slot) => deviceLabel(slot, language));
      return names.length === 0 ? sentences.noDevices : sentences.devices(names.join(", "));
    }
    default:
      return telemetry.length === 0 ? sentences.noTopics : sentences.topics(telemetry.length);
  }
}

/** What a wallbox is to do, as a sentence. */
export function carSentence(
  { vehicle, energy_kwh: kwh, window_end_hour: hour }: SlotSettings,
  language: Language,
): string {
  const { sentences } = textsOf(language).home;
  const { locale } = textsOf(language).format;
  const number = (value: number) => value.toLocaleString(locale, { maximumFractionDigits: 1 });
  if (vehicle === null) {
    const until = hour === null ? undefined : `${String(hour).padStart(2, "0")}:00`;
    return sentences.wallbox(kwh === null ? undefined : number(kwh), until);
  }
  const when = departureWords(textOf(vehicle.departure), language);
  return sentences.car(number(vehicle.capacity_kwh), when, number(vehicle.target_soc_pct));
}
