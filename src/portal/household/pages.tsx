import { typedNumber } from "../../core/number-text.js";
import { parseTime } from "../../core/time/zone.js";
import { DAY_GROUPS, HIGHEST_KW, PART_NAMES } from "../../forecast/load/load-corrections.js";
import { PRESENCE_KINDS, type PresenceKind } from "../../forecast/load/presence.js";
import { CalendarInputError } from "../../telemetry/calendar/calendar-settings.js";
import { PresenceInputError } from "../../telemetry/presence-service.js";
import { textsOf } from "../../texts/index.js";
import type { Page } from "../context.js";
import type { FormBody } from "../form-body.js";
import { type SiteContext, sitePage, sitePageOrSites } from "../page.js";
import { type HouseholdOptions, householdPage, PATH } from "./page.js";

/** The expected load of the household, absences and guests. */
export function householdPages(options: HouseholdOptions): Page[] {
  return [
    sitePageOrSites.get(PATH, (context) => ({ page: householdPage(context, options) })),
    sitePage.post(PATH, { of: PATH, event: "presence.changed" }, async (context, site, form) => {
      const { refused } = textsOf(context.language).household;
      const change = CHANGES.find(([action]) => action === form.text("action"))?.[1];
      if (change === undefined) return { refuse: 404 };
      try {
        await change(options, context, form);
      } catch (error) {
        const why =
          error instanceof PresenceInputError
            ? error.field
            : error instanceof CalendarInputError
              ? error.code
              : error instanceof HabitInputError
                ? "kw"
                : undefined;
        if (why === undefined) throw error;
        context.session.flash("refused", refused[why]);
      }
      return { redirect: `${PATH}?site=${encodeURIComponent(site.id)}` };
    }),
  ];
}

type Change = (services: HouseholdOptions, context: SiteContext, form: FormBody) => Promise<void>;

const named =
  (kind: PresenceKind): Change =>
  async ({ presence }, context, form) => {
    const [from, until] = (["from", "until"] as const).map((field) =>
      moment(context, field, form.text(field)),
    );
    await presence.add(context.site.id, { kind, from, until });
  };

/** What the buttons of the page do. */
const CHANGES: readonly (readonly [action: string, Change])[] = [
  ...PRESENCE_KINDS.map((kind) => [kind, named(kind)] as const),
  ["home", ({ presence }, { site }) => presence.end(site.id)],
  ["remove", ({ presence }, { site }, form) => presence.remove(site.id, form.text("period"))],
  [
    "calendar",
    ({ calendars }, { site }, form) => {
      const words = form.text("calendar_words").split(",");
      return calendars.set(site.id, form.text("calendar_url"), words);
    },
  ],
  [
    "correct",
    ({ corrections }, { site }, form) =>
      corrections.set(site.id, habitOf(form, typedNumber(form.text("kw")))),
  ],
  ["as_learned", ({ corrections }, { site }, form) => corrections.set(site.id, habitOf(form, null))],
  ["no_calendar", ({ calendars }, { site }) => calendars.remove(site.id)],
];

/** A part of the days and its power. Throws HabitInputError. */
function habitOf(form: FormBody, kw: number | null | undefined) {
  const [name, group] = form.text("habit").split(" ");
  const part = PART_NAMES.find((one) => one === name);
  const days = DAY_GROUPS.find((one) => one === group);
  const isWrong = kw !== null && !(kw !== undefined && kw >= 0 && kw <= HIGHEST_KW);
  if (part === undefined || days === undefined || isWrong) throw new HabitInputError();
  return { part, days, kw };
}

/** A correction that makes no sense. */
class HabitInputError extends Error {}

/** The instant of a field in local time; undefined where it is empty. */
function moment({ site }: SiteContext, field: "from" | "until", text: string): Date | undefined {
  if (text === "") return undefined;
  const at = parseTime(text, site.plant.timezone);
  if (at === undefined) throw new PresenceInputError(field, `${field} must be a local date and time.`);
  return at;
}
