import type { FromSchema } from "json-schema-to-ts";
import { accessDocument } from "../accounts/access.js";
import { parseTime } from "../core/time/zone.js";
import { PRESENCE_KINDS } from "../forecast/load/presence.js";
import { CalendarInputError, USUAL_WORDS } from "../telemetry/calendar/calendar-settings.js";
import { PresenceInputError } from "../telemetry/presence-service.js";
import { DOCUMENTED_TIME, EXAMPLE_ACCESS } from "./contract.js";
import { presenceDocument } from "./documents/presence.js";
import { localZone } from "./horizon.js";
import { invalidParameter } from "./input.js";
import { notAvailable } from "./not-available.js";
import type { Call, Caller, Document, Operation } from "./operation.js";
import { accessSchema, objectOf, timeSchema, timezoneSchema } from "./schemas.js";
import type { Services } from "./services.js";
import { notAvailableAnswer } from "./windows-schema.js";

const PATH = "/v1/plant/presence";
/** What can be said of now. */
const PRESENCES = ["usual", ...PRESENCE_KINDS] as const;
const maybeTime = { anyOf: [timeSchema, { type: "null" }] };
const maybeText = { type: ["string", "null"] };

const response = objectOf(
  {
    schema: { const: "presence_v1" },
    issued_at: timeSchema,
    timezone: { type: "string" },
    presence: {
      enum: PRESENCES,
      description: "Now: away: nobody is at home; guests: more people than usual.",
    },
    until: { ...maybeTime, description: "End of what holds now; null: until it is taken back." },
    noticed_since: {
      ...maybeTime,
      description: "Since when nobody seems to be at home although nobody said so; null: somebody is.",
    },
    access: accessSchema,
    periods: {
      type: "array",
      items: objectOf({
        id: { type: "string" },
        presence: { enum: PRESENCE_KINDS },
        from: timeSchema,
        until: { ...maybeTime, description: "null: until it is taken back." },
        source: { enum: ["person", "calendar"] },
        title: { ...maybeText, description: "Of the event in the calendar." },
      }),
      description: "Of the last 70 days and to come; of two at the same time the later in the list holds.",
    },
  },
  {
    calendar: {
      ...objectOf({
        host: { type: "string" },
        read_at: { ...maybeTime, description: "When it was last read; null: never." },
        problem: { ...maybeText, description: "Why it could not be read the last time; null: it could." },
        words: { type: "array", items: { type: "string" } },
      }),
      description: "The calendar with absences; its address is not shown. Left out: none.",
    },
  },
);

/** GET /v1/plant/presence (docs/api.md). */
export function presenceOperation(services: Services): Operation {
  return {
    method: "GET",
    path: PATH,
    purpose:
      "Absences and guests of the home, as people or a calendar name them; the load forecast follows them.",
    schema: { type: "object", properties: {} },
    contract: {
      tag: "plant",
      example: {},
      answer: {
        schema: "presence_v1",
        issued_at: "2026-01-15T18:00:00+01:00",
        timezone: "Europe/Vienna",
        presence: "usual",
        until: null,
        noticed_since: null,
        access: EXAMPLE_ACCESS,
        periods: [],
      },
    },
    response,
    reduced: notAvailableAnswer,
    quotaClass: () => "decision",
    run: (caller) => answer(services, caller, localZone(services, caller.access)),
  };
}

/** The members of a request. */
const presenceRequest = {
  type: "object",
  properties: {
    presence: {
      type: "string",
      enum: PRESENCES,
      description:
        "away, guests: from from to until. usual: everything is as usual from now on; coming periods are removed, except those of the calendar.",
    },
    from: {
      type: "string",
      maxLength: 64,
      description:
        "ISO 8601 time at which it begins, also a past one of the last 70 days. Default: now; what holds now then ends, and the same gets the new end.",
    },
    until: {
      type: "string",
      maxLength: 64,
      description: "ISO 8601 time at which it ends. Default: until it is taken back.",
    },
    remove: {
      type: "string",
      maxLength: 20,
      description:
        "Id of a period that was never to be: it counts no more, neither for the forecast nor for what is learned.",
    },
    calendar_url: {
      type: "string",
      maxLength: 2000,
      description: "https address of a calendar (.ics), read every hour; empty: none any more.",
    },
    calendar_words: {
      type: "string",
      maxLength: 1100,
      description: `Words of titles that mean an absence, separated by commas; empty: every event does. Default: ${USUAL_WORDS.join(", ")}.`,
    },
    timezone: timezoneSchema,
  },
} as const;

type PresenceInput = FromSchema<typeof presenceRequest>;

/** POST /v1/plant/presence (docs/api.md). */
export function changePresenceOperation(services: Services): Operation<PresenceInput> {
  return {
    method: "POST",
    path: PATH,
    purpose:
      "Name an absence or guests, take them back, or name the calendar that says when nobody is at home.",
    schema: presenceRequest,
    contract: {
      tag: "plant",
      keywords: {
        oneOf: ["presence", "remove", "calendar_url"].map((member) => ({ required: [member] })),
        dependentRequired: { from: ["presence"], until: ["presence"], calendar_words: ["calendar_url"] },
      },
      members: { from: DOCUMENTED_TIME, until: DOCUMENTED_TIME },
      example: { presence: "away", until: "2026-01-29T18:00:00+01:00" },
    },
    response,
    reduced: notAvailableAnswer,
    quotaClass: () => "decision",
    run: (call) => change(services, call),
  };
}

function answer(services: Services, { access, now }: Caller, zone: string): Document {
  const { site } = access;
  if (site === undefined) throw notAvailable("The list of absences");
  const { calendars, loads, presence } = services;
  return presenceDocument(
    {
      periods: presence.periods(site.id),
      inForce: presence.inForce(site.id),
      absentSince: loads.absentSince(site.id),
      calendar: calendars.view(site.id),
    },
    { now, zone, access: accessDocument(access) },
  );
}

async function change(services: Services, call: Call<PresenceInput>): Promise<Document> {
  const { access, input } = call;
  const { site } = access;
  if (site === undefined) throw notAvailable("A change of the presence");
  const zone = input.timezone ?? localZone(services, access);
  const given = [input.presence, input.remove, input.calendar_url].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw invalidParameter([
      { field: "presence", message: "Send exactly one of presence, remove and calendar_url." },
    ]);
  try {
    await changeOf(services, site.id, { input, zone });
  } catch (error) {
    if (error instanceof PresenceInputError || error instanceof CalendarInputError)
      throw invalidParameter([{ field: error.field, message: error.message }]);
    throw error;
  }
  return answer(services, call, zone);
}

async function changeOf(
  { calendars, presence }: Services,
  siteId: string,
  { input, zone }: { input: PresenceInput; zone: string },
): Promise<void> {
  const { presence: wanted, remove, calendar_url: url, calendar_words: words } = input;
  if (remove !== undefined) return presence.remove(siteId, remove);
  if (url?.trim() === "") return calendars.remove(siteId);
  if (url !== undefined) return calendars.set(siteId, url, words?.split(",") ?? USUAL_WORDS);
  const [from, until] = (["from", "until"] as const).map((field) => momentOf(field, input[field], zone));
  if (wanted === "usual" || wanted === undefined) return presence.end(siteId);
  return presence.add(siteId, { kind: wanted, from, until });
}

/** Throws PresenceInputError. */
function momentOf(field: "from" | "until", text: string | undefined, zone: string): Date | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const at = parseTime(text, zone);
  if (at === undefined)
    throw new PresenceInputError(
      field,
      `${field} must be an ISO 8601 time such as 2026-01-15T06:00:00+01:00.`,
    );
  return at;
}
