import { whyDocument } from "../../api/documents/why.js";
import { floorTo, HOUR_MS } from "../../core/domain/interval.js";
import { localDate, parseTime } from "../../core/time/zone.js";
import type { WhyService } from "../../money/why/why-service.js";
import type { Page } from "../context.js";
import { titledPage } from "../page.js";
import { WHY_PATH } from "../ui/links.js";
import { WhyPage } from "./page.js";

/** A past hour: what was known, what was decided, and what came of it. */
export function whyPages({ why }: { why: Pick<WhyService, "at"> }): Page[] {
  return [
    titledPage(({ why: { title } }) => title).get(WHY_PATH, async (context, site) => {
      const { query, now } = context;
      const zone = site.plant.timezone;
      const asked = parseTime(query.get("at") ?? "", zone) ?? new Date(now.getTime() - HOUR_MS);
      const at = new Date(floorTo(asked.getTime(), HOUR_MS));
      const found = await why.at(site, at);
      const document = found && whyDocument(site.id, found, { zone, language: context.language });
      const first = found?.firstDate ?? localDate(now, zone);
      return { page: <WhyPage {...{ context, at, document, first }} /> };
    }),
  ];
}
