import { energyKwh, moneyEur, priceCtKwh, sharePct } from "../../core/domain/rounding.js";
import type { Language } from "../../core/language.js";
import { formatIso } from "../../core/time/zone.js";
import type { Why } from "../../money/why/why-service.js";
import { reasonText } from "../../plan/reason-text.js";
import { type Format, formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";

/** A difference from what was expected that is said: ct/kWh, kWh, and its share of the larger value. */
const LEAST_CT = 1;
const LEAST_KWH = 0.2;
const LEAST_SHARE = 0.25;

/** A past hour in one sentence, with what was known, what was decided and what came of it. */
export function whyDocument(
  siteId: string,
  why: Why,
  { zone, language }: { zone: string; language: Language },
) {
  const { decision, outcome, laterCtKwh } = why;
  const orNull = (round: (value: number) => number | null, value: number | null | undefined) =>
    value === null || value === undefined ? null : round(value);
  const laterAtMs = decision?.reason.figures.laterAtMs;
  return {
    schema: "why_v1" as const,
    site: siteId,
    start: formatIso(why.start, zone),
    end: formatIso(why.end, zone),
    recorded: decision !== undefined,
    sentence: sentenceOf(why, formatOf(language, zone)),
    ...(decision && {
      known: {
        price_ct_kwh: priceCtKwh(decision.priceCtKwh),
        price_published: decision.isPublished,
        later_at: laterAtMs === undefined ? null : formatIso(new Date(laterAtMs), zone),
        later_ct_kwh: orNull(priceCtKwh, decision.reason.figures.laterCtKwh),
        soc_pct: sharePct(decision.socPct),
        pv_kwh: energyKwh(decision.pvKwh),
        load_kwh: energyKwh(decision.loadKwh),
      },
      decided: {
        action: decision.action,
        reason_code: decision.reason.code,
        reason: reasonText(decision.reason, { language, zone }),
        soc_end_pct: sharePct(decision.socEndPct),
      },
    }),
    ...(outcome && {
      outcome: {
        import_kwh: energyKwh(outcome.import),
        export_kwh: energyKwh(outcome.export),
        pv_kwh: energyKwh(outcome.pv),
        load_kwh: energyKwh(outcome.load),
        charge_kwh: energyKwh(outcome.charge),
        discharge_kwh: energyKwh(outcome.discharge),
        price_ct_kwh: orNull(priceCtKwh, outcome.priceCtKwh),
        later_ct_kwh: orNull(priceCtKwh, laterCtKwh),
        cost_eur: orNull(moneyEur, outcome.costEur),
        saved_eur: orNull(moneyEur, outcome.savedEur),
      },
    }),
  };
}

export type WhyDocument = ReturnType<typeof whyDocument>;

function sentenceOf(why: Why, format: Format): string {
  const texts = textsOf(format.language).why;
  const { decision, outcome } = why;
  if (decision === undefined) return `${texts.did.unknown}.`;
  const did = didText(why, format);
  if (outcome === undefined) return `${did}.`;
  const came = texts.came[cameOf(why)];
  const { savedEur } = outcome;
  if (savedEur === null) return `${did}; ${came}.`;
  const amount = format.number(savedEur);
  const sign = savedEur > 0 && amount !== format.number(0) ? "+" : "";
  return `${did}; ${came}: ${sign}${amount} €.`;
}

function didText({ decision, outcome }: Why, format: Format): string {
  const { did } = textsOf(format.language).why;
  if (decision === undefined) return did.unknown;
  const { action, reason, priceCtKwh: ct } = decision;
  const kwh = (value: number | null | undefined) => format.number(value, 1);
  switch (action) {
    case "grid_charge":
      return did.grid_charge(kwh(outcome?.charge), format.number(outcome?.priceCtKwh ?? ct, 1));
    case "pv_charge":
      return did.pv_charge(kwh(outcome?.charge));
    case "discharge":
      return did.discharge(kwh(outcome?.discharge), format.number(outcome?.priceCtKwh ?? ct, 1));
    case "export":
      return did.export(kwh(outcome?.export));
    case "hold": {
      const { laterAtMs } = reason.figures;
      const kept = kwh(Math.max(0, outcome?.keptKwh ?? 0));
      return laterAtMs === undefined ? did.hold(kept) : did.holdFor(kept, format.time(new Date(laterAtMs)));
    }
    case "idle":
      return did.idle;
  }
}

/** What came otherwise than expected: the later price first, then the larger of sun and load. */
function cameOf({ decision, outcome, laterCtKwh }: Why): keyof ReturnType<typeof textsOf>["why"]["came"] {
  if (decision === undefined || outcome === undefined) return "expected";
  const expectedCt = decision.reason.figures.laterCtKwh;
  const ct = expectedCt === undefined || laterCtKwh === undefined ? 0 : laterCtKwh - expectedCt;
  if (Math.abs(ct) >= LEAST_CT) return ct < 0 ? "cheaper" : "dearer";
  const pv = differenceKwh(outcome.pv, decision.pvKwh);
  const load = differenceKwh(outcome.load, decision.loadKwh);
  if (pv === 0 && load === 0) return "expected";
  if (Math.abs(pv) >= Math.abs(load)) return pv > 0 ? "pvMore" : "pvLess";
  return load > 0 ? "loadMore" : "loadLess";
}

/** Measured less expected energy; 0 for a difference that is not worth a word. */
function differenceKwh(measured: number, expected: number): number {
  const difference = measured - expected;
  const isSmall = Math.abs(difference) < Math.max(LEAST_KWH, LEAST_SHARE * Math.max(measured, expected));
  return isSmall ? 0 : difference;
}
