import type { Action } from "../../../plan/explain.js";
import type { OutputName } from "../../../plan/outputs.js";
import type { DischargeReason } from "../../../plan/site-plan.js";

/** Everything the dashboard says, apart from the reasons of the plan itself. */
export interface DashboardTexts {
  title: string;
  headline: {
    chargingUntil: (end: string) => string;
    next: (span: string) => string;
    none: string;
    noBattery: string;
    noPrices: string;
    noSoc: string;
    because: string;
    now: string;
  };
  steps: {
    title: string;
    noBattery: string;
    toBattery: string;
    noPrices: string;
    noSoc: string;
    byHttp: string;
    byMqtt: string;
    toTopics: string;
    reference: string;
  };
  savings: {
    title: string;
    of: (eur: string) => string;
    against: string;
    /** What of it is still in the battery at the end. */
    stored: (eur: string) => string;
    none: string;
  };
  soc: {
    title: string;
    age: (age: string) => string;
    stale: string;
    lost: string;
    none: string;
    now: string;
  };
  price: { title: string; quartiles: Record<1 | 2 | 3 | 4, string>; allIn: string; market: string };
  chart: {
    title: string;
    hours: (count: 48 | 168) => string;
    description: string;
    table: string;
    time: string;
    price: string;
    charge: string;
    soc: string;
    pv: string;
    load: string;
    action: string;
    forecast: string;
    none: string;
  };
  actions: {
    title: string;
    none: string;
    charge: (kw: string, ct: string) => string;
    hold: string;
    slot: (label: string) => string;
  };
  outputs: {
    title: string;
    noPlan: string;
    output: string;
    meaning: string;
    value: string;
    names: Record<OutputName, string>;
  };
  cap: Record<DischargeReason, string>;
  does: Record<Action, string>;
  slots: {
    title: string;
    none: string;
    now: string;
    next: (when: string) => string;
    idle: string;
    unplugged: string;
    unmet: (hours: string) => string;
  };
  quota: {
    title: string;
    left: (remaining: string, limit: string) => string;
    resets: (when: string) => string;
    more: string;
  };
  components: { title: string; degraded: string; down: string };
  yes: string;
  no: string;
  none: string;
  live: string;
}
