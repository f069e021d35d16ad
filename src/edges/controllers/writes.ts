import { type Access, tierOf } from "../../accounts/access.js";
import type { Document } from "../../api/operation.js";
import { createRequestHandler } from "../../api/request.js";
import type { Site } from "../../config/site.js";
import type { Reading } from "../../core/domain/sample.js";
import { heldSentence } from "../../telemetry/reading-gate.js";
import type { ControllerLink, ControllerOptions } from "./options.js";
import { ascii, type ControllerReply, refusalReply } from "./reply.js";
import { lineText } from "./values.js";

/** Answers a page that takes parameters. */
export type Write = (
  site: Site,
  link: ControllerLink,
  values: Record<string, unknown>,
) => Promise<ControllerReply>;

const READ_ONLY = "This link is read-only: create one with the scope telemetry.";

/** `/telemetry`: one sample as parameters, stored before the answer (docs/spec/http-api.md section 9). */
export function telemetryPage(options: ControllerOptions): Write {
  const handle = handlerOf(options, "/v1/plant/telemetry");
  return async (site, { scope }, values) => {
    if (scope !== "telemetry") return { status: 403, text: READ_ONLY };
    const answer = await handle(values, { access: accessOf(site), now: options.clock.now() });
    if (answer.status !== 200) return refusalReply(answer);
    const { accepted, rejected } = answer.document as { accepted: number; rejected: Rejected[] };
    // The API reports a fully rejected batch in its counts; controllers only check the status.
    return accepted === 0
      ? { status: 400, text: ascii(rejected[0]?.message ?? "The samples have no reading.") }
      : { status: 200, text: telemetryText(answer.document) };
  };
}

interface Rejected {
  message: string;
}

/** `OK=1;…`: the counts, the live readings, how many are not used because they cannot be, and the first error. */
function telemetryText(document: Document): string {
  const rejected = document.rejected as Rejected[];
  const latest = document.latest as Record<string, number>;
  const implausible = Object.entries((document.implausible ?? {}) as Record<string, number>);
  const errors = [
    ...rejected.map(({ message }) => message),
    ...implausible.map(([name, value]) => {
      const used = name in latest ? { value: latest[name]! } : undefined;
      return heldSentence({ reading: name as Reading, value, used });
    }),
  ];
  const fields = [
    "OK=1",
    `ACCEPTED=${document.accepted}`,
    `DUPLICATES=${document.duplicates}`,
    `REJECTED=${rejected.length}`,
    ...Object.entries(latest).map(([name, value]) => `${name.toUpperCase()}=${value}`),
    ...(implausible.length > 0 ? [`UNUSED=${implausible.length}`] : []),
    ...errors.slice(0, 1).map((message) => `ERROR=${ascii(message).replaceAll(";", ",")}`),
  ];
  return `${fields.join(";")}\n`;
}

/** `/flex`: the parameters of windows as a query, answered with a line (docs/spec/http-api.md section 7). */
export function flexPage(options: ControllerOptions): Write {
  const handle = handlerOf(options, "/v1/decision/windows");
  return async (site, { scope }, values) => {
    // A request with slot_id sets the schedule of the slot; without it, it is read-only.
    if (values.slot_id !== undefined && scope !== "telemetry") return { status: 403, text: READ_ONLY };
    const answer = await handle(values, { access: accessOf(site), now: options.clock.now() });
    return answer.status === 200 ? { status: 200, text: flexText(answer.document) } : refusalReply(answer);
  };
}

function flexText(document: Document): string {
  const number = (name: string, unknown: number) => {
    const value = document[name];
    return String(typeof value === "boolean" ? Number(value) : (value ?? unknown));
  };
  return lineText(
    new Map([
      ["OK", "1"],
      ["CHARGE", number("charge_now", 0)],
      ["NEXT", number("minutes_to_start", -1)],
      ["HOURS", number("demand_hours", 0)],
      ["UNMET", number("unmet_hours", 0)],
      ["FEASIBLE", number("feasible", 0)],
      ["ENERGY", number("demand_energy_kwh", -1)],
      ["PRICE", number("average_price_ct_kwh", 0)],
      ["SLOTS", number("slot_count", 0)],
      ["PLUGGED", number("plugged", 1)],
    ]),
  );
}

function handlerOf({ operations, log }: ControllerOptions, path: string) {
  // POST accepts all parameters of GET.
  const operation = operations.find((one) => one.path === path && one.method === "POST");
  if (operation === undefined) throw new Error(`Controller links need the operation POST ${path}.`);
  return createRequestHandler(operation, (error) =>
    log.error({ err: error, path }, "A controller's request failed."),
  );
}

/** A link has the rights of its site and is exempt from quotas. */
function accessOf(site: Site): Access {
  return {
    ...tierOf("professional"),
    plan: "professional",
    tokenPresent: true,
    tokenValid: true,
    site,
    accountId: site.accountId,
    administrator: false,
  };
}
