import type { Topics } from "./topics.js";

/** What is published of an actuator. */
export interface PublishedActuator {
  id: string;
  phase: string;
  wanted: { state: string } | null;
  confirmed: { state: string } | null;
  lastError: { fault: string } | null;
  writesToday: number;
}

const TOPICS: Readonly<Record<string, (actuator: PublishedActuator) => string>> = {
  state: ({ phase }) => phase,
  wanted: ({ wanted }) => wanted?.state ?? "none",
  confirmed: ({ confirmed }) => confirmed?.state ?? "none",
  last_error: ({ lastError }) => lastError?.fault ?? "none",
  writes_today: ({ writesToday }) => String(writesToday),
};

export interface ActuatorMirrorOptions {
  topics: Topics;
  /** The actuators of a plant. */
  actuators(plant: string): readonly PublishedActuator[];
  /** Sets a retained value; only changes are published. */
  setValue(topic: string, payload: string): void;
}

/** Publishes the actuators of a plant on `…/actuators/<id>/…`; topics of removed ones are removed. */
export function createActuatorMirror({ topics, actuators, setValue }: ActuatorMirrorOptions) {
  const published = new Map<string, Set<string>>();
  return (plant: string): void => {
    const list = actuators(plant);
    const before = published.get(plant) ?? new Set();
    published.set(plant, new Set(list.map(({ id }) => id)));
    for (const one of list)
      for (const [name, value] of Object.entries(TOPICS))
        setValue(topics.of(plant, `actuators/${one.id}/${name}`), value(one));
    for (const id of before)
      if (!published.get(plant)!.has(id))
        for (const name of Object.keys(TOPICS)) setValue(topics.of(plant, `actuators/${id}/${name}`), "");
  };
}
