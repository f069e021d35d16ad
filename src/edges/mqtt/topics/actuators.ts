import type { SiteRuntimes } from "../../../config/site-runtimes.js";
import type { ActuatorFault } from "../../../core/domain/actuator.js";
import type { Language } from "../../../core/language.js";
import { ActuatorInputError } from "../../../equipment/input-error.js";
import { componentText } from "../../../texts/index.js";
import { PayloadError, readText } from "./payload.js";
import type { Topics } from "./topics.js";

/** Enables or disables an actuator. Throws ActuatorInputError. */
export type SetActuatorEnabled = (siteId: string, id: string, enabled: boolean) => Promise<void>;

/** Executes `…/actuators/<id>/enabled/set`. Throws PayloadError. */
export async function takeActuatorCommand(
  siteId: string,
  id: string,
  payload: Buffer,
  actuators: { setEnabled: SetActuatorEnabled },
): Promise<undefined> {
  const text = readText(payload).trim();
  if (text !== "0" && text !== "1")
    throw new PayloadError("The payload must be 0 (disabled) or 1 (enabled).");
  try {
    await actuators.setEnabled(siteId, id, text === "1");
  } catch (error) {
    if (error instanceof ActuatorInputError) throw new PayloadError(error.message);
    throw error;
  }
  return undefined;
}

/** What is published of an actuator. */
export interface PublishedActuator {
  id: string;
  phase: string;
  enabled: boolean;
  wanted: { state: string } | null;
  confirmed: { state: string } | null;
  lastError: { fault: ActuatorFault; message: string } | null;
  writesToday: number;
}

const TOPICS: Readonly<Record<string, (actuator: PublishedActuator, language: Language) => string>> = {
  state: ({ phase }) => phase,
  enabled: ({ enabled }) => (enabled ? "1" : "0"),
  wanted: ({ wanted }) => wanted?.state ?? "none",
  confirmed: ({ confirmed }) => confirmed?.state ?? "none",
  last_error: ({ lastError }) => lastError?.fault ?? "none",
  problem: ({ lastError }, language) => JSON.stringify(problemOf(lastError, language)),
  writes_today: ({ writesToday }) => String(writesToday),
};

/** The topics of an actuator, below its id. */
export const ACTUATOR_TOPICS: readonly string[] = Object.keys(TOPICS);

/** Why the last command failed, as a sentence; empty without a failure. */
function problemOf(error: PublishedActuator["lastError"], language: Language): Record<string, string> {
  if (error === null) return {};
  const { fault, message } = error;
  const sentence = componentText([{ code: "actuator_error", fault, message }], language);
  return { last_error: message === "" ? sentence : `${sentence} (${message})`, fault };
}

export interface ActuatorMirrorOptions {
  topics: Topics;
  sites: SiteRuntimes;
  actuators: { list(plant: string): readonly PublishedActuator[] };
  textLanguage(plant: string): Language;
  /** Sets a retained value; only changes are published. */
  setValue(topic: string, payload: string): void;
}

/** Publishes the actuators of a plant on `…/actuators/<id>/…`; topics of removed ones are removed. */
export function createActuatorMirror({
  topics,
  sites,
  actuators,
  textLanguage,
  setValue,
}: ActuatorMirrorOptions) {
  const published = sites.parts({ create: () => ({ ids: new Set<string>() }) });
  return (plant: string): void => {
    const list = actuators.list(plant);
    const part = published.of(plant);
    const before = part.ids;
    part.ids = new Set(list.map(({ id }) => id));
    for (const one of list)
      for (const [name, value] of Object.entries(TOPICS))
        setValue(topics.of(plant, `actuators/${one.id}/${name}`), value(one, textLanguage(plant)));
    for (const id of before)
      if (!part.ids.has(id))
        for (const name of ACTUATOR_TOPICS) setValue(topics.of(plant, `actuators/${id}/${name}`), "");
  };
}
