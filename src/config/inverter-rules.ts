import type { ConfigTexts } from "../texts/index.js";
import { didYouMean } from "./kit/suggest.js";
import type { PvSettings } from "./settings.js";
import type { FindingRule } from "./validate.js";

/** A contradiction between arrays and inverters; `key` is dotted, below the plant. */
interface InverterFinding {
  key: string;
  rule: FindingRule;
  message: string;
}

/** Names of inverters that are not listed, listed ones that no array names, and arrays with two limits. */
export function inverterFindings({ pv, inverters }: PvSettings, texts: ConfigTexts): InverterFinding[] {
  const { rules } = texts;
  const ids = inverters.map(({ id }) => id);
  return [
    ...pv.flatMap(({ inverter, inverter_kw }, index): InverterFinding[] => {
      const key = `pv.${index}.inverter`;
      if (inverter === null) return [];
      if (!ids.includes(inverter)) {
        const message = rules.inverterId(inverter, ids.join(", ")) + didYouMean(inverter, ids, texts);
        return [{ key, rule: "inverter_unknown", message }];
      }
      if (inverter_kw === null) return [];
      return [{ key: `${key}_kw`, rule: "inverter_and_own_kw", message: rules.inverterKw(inverter) }];
    }),
    ...ids.flatMap((id, index): InverterFinding[] =>
      pv.some(({ inverter }) => inverter === id)
        ? []
        : [{ key: `inverters.${index}.id`, rule: "inverter_unused", message: rules.inverterUnused(id) }],
    ),
  ];
}
