import { dotted } from "../../config/kit/node.js";
import { plausibilityText, plausibilityWarnings } from "../../config/plausibility.js";
import type { Settings } from "../../config/settings.js";
import type { Language } from "../../core/language.js";
import { localDate } from "../../core/time/zone.js";
import { tariffEndings } from "../../tariff/ending.js";
import { about, type DoctorTexts, type Finding } from "./finding.js";

/** Names unlikely settings of the plants. */
export function examinePlants(
  { plants }: Settings,
  { language, texts }: { language: Language; texts: DoctorTexts },
): Finding[] {
  return plants.flatMap((plant) => {
    const found = about(texts.what.plant(plant.id));
    return plausibilityWarnings(plant).map((warning) =>
      found.warn(`${dotted(warning.path)}: ${plausibilityText(warning, language)}`),
    );
  });
}

/** Names amounts of the plants' tariffs that end within 60 days. */
export function examineTariffs(
  { plants }: Settings,
  { now, texts }: { now: Date; texts: DoctorTexts },
): Finding[] {
  return plants.flatMap(({ id, tariff, timezone }) => {
    if (tariff === null) return [];
    const found = about(texts.what.tariff(id));
    const endings = tariffEndings(tariff, localDate(now, timezone));
    return endings.map(({ date, levy }) =>
      found.warn(levy === undefined ? texts.tariff.ends(date) : texts.tariff.levyEnds(levy, date)),
    );
  });
}
