import { type Id, idOf, PayloadError, readObject, readText } from "./payload.js";
import { errorIn } from "./slot-commands.js";
import type { Topics } from "./topics.js";

/** Absences and guests, as the topics show and take them. */
export interface PresenceTopicOptions {
  /** The answer of GET /v1/plant/presence; undefined for an unknown plant. */
  document(plant: string): Readonly<Record<string, unknown>> | undefined;
  /** POST /v1/plant/presence: returns its document, also for errors. */
  change(plant: string, body: object): Promise<object>;
}

/** Publishes `…/presence` (`usual`, `away` or `guests`), `presence/until` and `presence/details` of a plant. */
export function createPresenceMirror({
  topics,
  presence,
  setValue,
}: {
  topics: Topics;
  presence: Pick<PresenceTopicOptions, "document">;
  setValue(topic: string, payload: string): void;
}): (plant: string) => void {
  return (plant) => {
    const document = presence.document(plant);
    // Only changes are published, and its time is none.
    const { issued_at: _, ...details } = document ?? {};
    setValue(topics.of(plant, "presence"), String(document?.presence ?? ""));
    setValue(topics.of(plant, "presence/until"), String(document?.until ?? ""));
    setValue(topics.of(plant, "presence/details"), document === undefined ? "" : JSON.stringify(details));
  };
}

/** Executes `…/presence/set` and `…/presence/until/set`; returns the client's id. Throws PayloadError. */
export async function takePresence(
  plant: string,
  action: "presence" | "until",
  payload: Buffer,
  presence: PresenceTopicOptions,
): Promise<Id | undefined> {
  const { id, ...body } = action === "until" ? untilBody(plant, payload, presence) : presenceBody(payload);
  const mark = idOf({ id });
  const problem = errorIn(await presence.change(plant, body));
  if (problem !== undefined) throw new PayloadError(problem, mark);
  return mark;
}

/** A word, or what POST /v1/plant/presence takes. */
function presenceBody(payload: Buffer): Record<string, unknown> {
  const text = readText(payload).trim();
  if (text === "") throw new PayloadError("The payload is empty; send usual, away, guests or a JSON object.");
  return /^\w+$/.test(text) ? { presence: text.toLowerCase() } : readObject(payload);
}

/** The end of what holds now; empty: until it is taken back. */
function untilBody(
  plant: string,
  payload: Buffer,
  { document }: PresenceTopicOptions,
): Record<string, unknown> {
  const now = document(plant)?.presence;
  if (now === undefined || now === "usual")
    throw new PayloadError("There is nothing that could end: set the presence to away or guests first.");
  const until = readText(payload).trim();
  return until === "" ? { presence: now } : { presence: now, until };
}
