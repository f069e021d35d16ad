import { planCurveDocument, plannedAction } from "../../../api/documents/plan-curve.js";
import type { PvEnergies } from "../../../api/documents/pv-energies.js";
import { MINUTE_MS } from "../../../core/domain/interval.js";
import { energyKwh, moneyEur, priceCtKwh } from "../../../core/domain/rounding.js";
import { type LiveState, type Reading, readingOfSlot } from "../../../core/domain/sample.js";
import { SLOT_NUMBERS, type SlotNumber } from "../../../core/domain/slot.js";
import type { Language } from "../../../core/language.js";
import type { Clock } from "../../../core/time/clock.js";
import { formatIso } from "../../../core/time/zone.js";
import type { ChargingSession } from "../../../money/ledger/charging-sessions.js";
import type { DayFigures } from "../../../money/ledger/ledger-day.js";
import type { SitePlan } from "../../../plan/site-plan.js";
import { textsOf } from "../../../texts/index.js";
import { scalarText } from "./number-text.js";
import type { PacedValues } from "./paced-values.js";
import type { Topics } from "./topics.js";

/** What displays of a plant show besides the documents of `/v1`. */
export interface DisplayFacts {
  /** The prices of today and tomorrow; undefined before the first forecast. */
  priceCurve(plant: string): { document: object; exportCtKwh: number | undefined } | undefined;
  pvEnergies(plant: string): PvEnergies | undefined;
  /** Today so far, as the ledger knows it. */
  today(plant: string): DayFigures | undefined;
  live(plant: string): LiveState;
  session(plant: string, slot: SlotNumber): ChargingSession | undefined;
  nowAndNext(plant: string, language: Language): string;
}

export interface DisplayOptions {
  topics: Topics;
  clock: Clock;
  facts: DisplayFacts;
  plans: { current(plant: string): SitePlan | undefined };
  zoneOf(plant: string): string;
  textLanguage(plant: string): Language;
  setValue(topic: string, payload: string): void;
  paced: PacedValues;
}

/** Displays store what they are sent: no more often than this. */
const PACE_MS = MINUTE_MS;
/** A curve is a document of some kB, which changes a little with each plan. */
const CURVE_PACE_MS = 5 * MINUTE_MS;

/** Counters that are published where they are read, and their topics. */
const COUNTERS: readonly (readonly [Reading, topic: string])[] = [
  ["import_kwh", "meter/import_kwh"],
  ["export_kwh", "meter/export_kwh"],
  ["pv_kwh", "pv/energy_kwh"],
  ["charge_kwh", "battery/charge_kwh"],
  ["discharge_kwh", "battery/discharge_kwh"],
  ...SLOT_NUMBERS.map((slot) => [readingOfSlot(slot, "energy_kwh"), `slots/${slot}/energy_kwh`] as const),
];

/** The topics of the counters that are read. */
export function countersOf(live: LiveState): string[] {
  return COUNTERS.flatMap(([reading, topic]) => (live[reading] === undefined ? [] : [topic]));
}

const KWH_TODAY = ["import", "export", "pv", "load", "charge", "discharge"] as const;

/** Publishes curves, energies, costs and a sentence for displays. */
export class DisplayMirror {
  readonly #options: DisplayOptions;
  /** Number of counters that are read, by plant. */
  readonly #counters = new Map<string, number>();

  constructor(options: DisplayOptions) {
    this.#options = options;
  }

  forget(plant: string): void {
    this.#counters.delete(plant);
  }

  prices(plant: string): void {
    const { facts, textLanguage } = this.#options;
    const curve = facts.priceCurve(plant);
    const { noPrices } = textsOf(textLanguage(plant)).homeAssistant.unknown.of;
    this.#set(plant, "price/curve", JSON.stringify(curve?.document ?? { reason: noPrices }));
    const exportCtKwh = curve?.exportCtKwh;
    this.#set(plant, "price/export_ct_kwh", exportCtKwh === undefined ? undefined : priceCtKwh(exportCtKwh));
  }

  /** What happens, which readings change, too: at once if the plan `isNew`, else at most once a minute. */
  nowAndNext(plant: string, isNew: boolean): void {
    const { facts, paced, textLanguage, topics } = this.#options;
    const topic = topics.of(plant, "now_and_next");
    const sentence = () => facts.nowAndNext(plant, textLanguage(plant));
    if (isNew) paced.setNow(topic, sentence);
    else paced.set(topic, PACE_MS, sentence);
  }

  plan(plant: string): void {
    const { clock, facts, paced, plans, textLanguage, topics, zoneOf } = this.#options;
    const plan = plans.current(plant);
    this.#set(plant, "plan_action", plan && plannedAction(plan, clock.now()));
    const curve = () => {
      const current = plans.current(plant);
      return JSON.stringify(
        current === undefined
          ? { reason: facts.nowAndNext(plant, textLanguage(plant)) }
          : planCurveDocument(current, { now: clock.now(), zone: zoneOf(plant) }),
      );
    };
    const curveTopic = topics.of(plant, "plan_curve");
    // The first curve does not wait.
    if (plan === undefined) {
      paced.forget(curveTopic);
      this.#set(plant, "plan_curve", curve());
    } else paced.set(curveTopic, CURVE_PACE_MS, curve);
  }

  pv(plant: string): void {
    const energies = this.#options.facts.pvEnergies(plant);
    const kwh = (value: number | undefined) => (value === undefined ? undefined : energyKwh(value));
    this.#set(plant, "pv/today_kwh", kwh(energies?.todayKwh));
    this.#set(plant, "pv/remaining_kwh", kwh(energies?.remainingKwh));
    this.#set(plant, "pv/tomorrow_kwh", kwh(energies?.tomorrowKwh));
  }

  /** The day so far, known as soon as it can be billed. */
  today(plant: string): void {
    const figures = this.#options.facts.today(plant);
    const costEur = figures?.costEur ?? undefined;
    this.#set(plant, "today/cost_eur", costEur === undefined ? undefined : moneyEur(costEur));
    for (const name of KWH_TODAY)
      this.#set(
        plant,
        `today/${name}_kwh`,
        costEur === undefined || figures === undefined ? undefined : energyKwh(figures.kwh[name]),
      );
  }

  /** Returns whether one was read for the first time. */
  counters(plant: string): boolean {
    const { facts, paced, topics } = this.#options;
    const live = facts.live(plant);
    const count = countersOf(live).length;
    const isNew = count > (this.#counters.get(plant) ?? 0);
    this.#counters.set(plant, count);
    for (const [reading, topic] of COUNTERS) {
      const value = live[reading]?.value;
      if (value !== undefined)
        paced.set(topics.of(plant, topic), PACE_MS, () => scalarText(energyKwh(value)));
    }
    return isNew;
  }

  sessions(plant: string): void {
    const { facts, zoneOf } = this.#options;
    for (const slot of SLOT_NUMBERS) {
      const session = facts.session(plant, slot);
      const { kwh, costEur } = session ?? {};
      this.#set(plant, `slots/${slot}/session/since`, session && formatIso(session.since, zoneOf(plant)));
      this.#set(plant, `slots/${slot}/session/energy_kwh`, kwh === undefined ? undefined : energyKwh(kwh));
      this.#set(
        plant,
        `slots/${slot}/session/cost_eur`,
        costEur === undefined ? undefined : moneyEur(costEur),
      );
    }
  }

  #set(plant: string, name: string, value: unknown): void {
    this.#options.setValue(this.#options.topics.of(plant, name), scalarText(value));
  }
}
