import { tariffEndings } from "../../tariff/ending.js";
import { textsOf } from "../../texts/index.js";
import { addDays, localDate } from "../../time/zone.js";
import type { PartProps } from "./parts.js";

/** A levy that ended longer ago than this was left to end. */
const NAMED_DAYS = 60;

/** That amounts of the tariff end within 60 days, or have ended, and what to do. */
export function TariffNotice({ house, format }: PartProps) {
  const { tariff, timezone } = house.site.plant;
  if (tariff === null) return null;
  const today = localDate(house.now, timezone);
  const endings = tariffEndings(tariff, today).filter(
    ({ date, levy }) => levy === undefined || date >= addDays(today, -NAMED_DAYS),
  );
  if (endings.length === 0) return null;
  const texts = textsOf(format.language).dashboard.tariff;
  return (
    <div class="notice warning" role="status">
      {endings.map(({ date, levy }) => (
        <p>
          {levy === undefined
            ? texts.ends(format.date(date), date < today)
            : texts.levyEnds(levy, format.date(date))}
        </p>
      ))}
    </div>
  );
}
