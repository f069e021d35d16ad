import type { SiteRuntimes } from "../../../config/site-runtimes.js";
import type { Topics } from "./topics.js";

/** What is published of a device that is read. */
export interface PublishedDevice {
  id: string;
  name: string;
  template: string;
  controls: string | null;
  state: string;
  readAt: Date | null;
  readings: Readonly<Record<string, { value: number | null; unit: string }>>;
  command: object | null;
}

export interface DeviceMirrorOptions {
  topics: Topics;
  sites: SiteRuntimes;
  clock: { now(): Date };
  devices: {
    list(plant: string): readonly PublishedDevice[];
    commandDocument(plant: string, id: string): object | null;
  };
  /** Sets a retained value; only changes are published. */
  setValue(topic: string, payload: string): void;
}

/** Publishes the devices of a plant on `…/devices/<id>/…`; topics of removed ones are removed. */
export function createDeviceMirror({ topics, sites, clock, devices, setValue }: DeviceMirrorOptions) {
  const published = sites.parts({ create: () => ({ topics: new Set<string>() }) });
  /** True if other topics are published than before. */
  return (plant: string): boolean => {
    const part = published.of(plant);
    const before = part.topics;
    part.topics = new Set();
    const set = (name: string, payload: string) => {
      part.topics.add(name);
      setValue(topics.of(plant, name), payload);
    };
    for (const { id, state, readAt, readings, command } of devices.list(plant)) {
      const ageS =
        readAt === null ? "" : Math.max(0, Math.round((clock.now().getTime() - readAt.getTime()) / 1000));
      set(`devices/${id}/state`, state);
      set(`devices/${id}/age_s`, String(ageS));
      for (const [name, { value }] of Object.entries(readings))
        set(`devices/${id}/readings/${name}`, value === null ? "" : String(value));
      if (command !== null) set(`devices/${id}/command`, JSON.stringify(devices.commandDocument(plant, id)));
    }
    for (const name of before) if (!part.topics.has(name)) setValue(topics.of(plant, name), "");
    return before.size !== part.topics.size || [...before].some((name) => !part.topics.has(name));
  };
}
