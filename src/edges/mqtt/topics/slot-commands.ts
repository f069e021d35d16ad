import { numberFromText } from "../../../core/number-text.js";
import { FlexInputError } from "../../../plan/windows/request.js";
import { flagOf } from "../../../telemetry/topic-map.js";
import { type Id, idOf, PayloadError, readObject, readText } from "./payload.js";
import type { Inbound } from "./topics.js";

export interface SlotCommands {
  /** The windows operation: returns its document, also for errors. */
  windows(siteId: string, body: object): Promise<object>;
  /** The override operation: returns its document, also for errors. */
  override(siteId: string, body: object): Promise<object>;
  /** Resolves when stored; throws FlexInputError for a slot that is not assigned. */
  setPlugged(siteId: string, slot: number, plugged: 0 | 1): Promise<void>;
}

/** Executes `…/slots/<n>/set`, `…/slots/<n>/plugged/set` or `…/slots/<n>/override/set`; returns the client's id. Throws PayloadError. */
export async function takeSlotCommand(
  siteId: string,
  { slot, action }: Extract<Inbound, { kind: "slot" }>,
  payload: Buffer,
  commands: SlotCommands,
): Promise<Id | undefined> {
  if (!/^[1-8]$/.test(slot))
    throw new PayloadError(`There is no slot "${slot.slice(0, 20)}"; the slots are 1 to 8.`);
  if (action === "plugged") {
    await setPlugged(siteId, Number(slot), readText(payload), commands);
    return undefined;
  }
  // An empty payload clears a retained message and is not a request.
  if (readText(payload).trim() === "")
    throw new PayloadError(
      `The payload is empty; send ${action === "override" ? "run, skip, auto or " : ""}a JSON object.`,
    );
  const { id, ...body } = action === "override" ? overrideBody(payload) : readObject(payload);
  const mark = idOf({ id });
  const named = body.slot_id;
  if (named !== undefined && ![slot, `wallbox_${slot}`, `O${slot}`].includes(String(named)))
    throw new PayloadError(`slot_id does not match slot ${slot} of the topic: leave slot_id out.`, mark);
  const run = action === "override" ? commands.override : commands.windows;
  const problem = errorIn(await run(siteId, { ...body, slot_id: slot }));
  if (problem !== undefined) throw new PayloadError(problem, mark);
  return mark;
}

/**
 * Executes `…/battery/override/set`; returns the client's id. The word `charge` charges to `targetSocPct`, an object to what it says. Throws
 * PayloadError.
 */
export async function takeBatteryCommand(
  siteId: string,
  payload: Buffer,
  { commands, targetSocPct }: { commands: Pick<SlotCommands, "override">; targetSocPct: number | undefined },
): Promise<Id | undefined> {
  if (readText(payload).trim() === "")
    throw new PayloadError("The payload is empty; send charge, hold, auto or a JSON object.");
  const { id, ...body } = overrideBody(payload);
  const mark = idOf({ id });
  if (body.slot_id !== undefined && body.slot_id !== "battery")
    throw new PayloadError("slot_id does not match the battery of the topic: leave slot_id out.", mark);
  const isWord = Object.keys(body).length === 1 && readText(payload).trim().toLowerCase() === "charge";
  const target = isWord && targetSocPct !== undefined ? { target_soc_pct: targetSocPct } : {};
  const problem = errorIn(await commands.override(siteId, { ...body, ...target, slot_id: "battery" }));
  if (problem !== undefined) throw new PayloadError(problem, mark);
  return mark;
}

/** The body of an override: a JSON object, or a word such as `skip`. */
function overrideBody(payload: Buffer): Record<string, unknown> {
  const text = readText(payload).trim();
  return /^\w+$/.test(text) ? { override: text.toLowerCase() } : readObject(payload);
}

async function setPlugged(siteId: string, slot: number, text: string, commands: SlotCommands): Promise<void> {
  const plugged = flagOf(text) ?? numberFromText(text);
  if (plugged !== 0 && plugged !== 1)
    throw new PayloadError("The payload must be 0 (not plugged in) or 1 (plugged in).");
  try {
    await commands.setPlugged(siteId, slot, plugged);
  } catch (error) {
    if (error instanceof FlexInputError) throw new PayloadError(error.message);
    throw error;
  }
}

const MAX_NAMED = 3;

/** The error messages of a document; undefined if it is not an error. */
export function errorIn(document: object): string | undefined {
  const { error } = document as {
    error?: { message: string; details: readonly { message: string }[] };
  };
  if (error === undefined) return undefined;
  if (error.details.length < 2) return error.message;
  const more = error.details.length > MAX_NAMED ? ` And ${error.details.length - MAX_NAMED} more.` : "";
  const named = new Set(error.details.slice(0, MAX_NAMED).map(({ message }) => message));
  return `${[...named].join(" ")}${more}`;
}
