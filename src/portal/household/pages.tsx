import { addDays, dayInterval, localDate, parseTime } from "../../core/time/zone.js";
import { PRESENCE_KINDS } from "../../forecast/load/presence.js";
import type { LoadLearner } from "../../telemetry/load-learner.js";
import { PresenceInputError, type PresenceService } from "../../telemetry/presence-service.js";
import { textsOf } from "../../texts/index.js";
import type { Page } from "../context.js";
import { type SiteContext, sitePage, sitePageOrSites } from "../page.js";
import { HouseholdPage } from "./page.js";

/** Services that the page "Household" uses. */
export interface HouseholdOptions {
  loads: Pick<LoadLearner, "model" | "absentSince">;
  presence: Pick<PresenceService, "periods" | "add" | "end">;
}

/** The expected load of the household, absences and guests. */
export function householdPages({ loads, presence }: HouseholdOptions): Page[] {
  return [
    sitePageOrSites.get("/household", (context, site) => {
      const zone = site.plant.timezone;
      const today = localDate(context.now, zone);
      return {
        page: (
          <HouseholdPage
            context={context}
            model={loads.model(site.id)}
            days={[today, addDays(today, 1)].map((date) => dayInterval(date, zone))}
            periods={presence.periods(site.id)}
            absentSince={loads.absentSince(site.id)}
            refused={context.session.takeFlash("refused")}
          />
        ),
      };
    }),
    sitePage.post(
      "/household",
      { of: "/household", event: "presence.changed" },
      async (context, site, form) => {
        const action = form.text("action");
        const kind = PRESENCE_KINDS.find((one) => one === action);
        if (kind === undefined && action !== "home") return { refuse: 404 };
        try {
          if (kind === undefined) await presence.end(site.id);
          else {
            const [from, until] = (["from", "until"] as const).map((field) =>
              moment(context, field, form.text(field)),
            );
            await presence.add(site.id, { kind, from, until });
          }
        } catch (error) {
          if (!(error instanceof PresenceInputError)) throw error;
          context.session.flash("refused", textsOf(context.language).household.refused[error.field]);
        }
        return { redirect: `/household?site=${encodeURIComponent(site.id)}` };
      },
    ),
  ];
}

/** The instant of a field in local time; undefined where it is empty. */
function moment({ site }: SiteContext, field: "from" | "until", text: string): Date | undefined {
  if (text === "") return undefined;
  const at = parseTime(text, site.plant.timezone);
  if (at === undefined) throw new PresenceInputError(field, `${field} must be a local date and time.`);
  return at;
}
