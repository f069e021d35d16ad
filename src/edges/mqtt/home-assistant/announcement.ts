import { entityId, uniqueId } from "../../../core/domain/home-assistant-id.js";
import { parseForeignJson } from "../../../core/json.js";
import type { Topics } from "../topics/topics.js";
import type { GoneDevice } from "./announced-devices.js";
import { PLANT } from "./devices.js";
import { type AnnouncedDevice, type Entity, PLATFORMS, type Platform } from "./entity.js";

/** An entity by its key: its fields, or only the platform of one that is removed. */
export type Components = Readonly<
  Record<string, Readonly<Record<string, unknown>> & { readonly p: Platform }>
>;

export interface AnnouncementView {
  topics: Topics;
  version: string;
  baseUrl: string;
}

/** The identifier of a device in Home Assistant. */
const identifier = (plant: string, device: string) =>
  device === PLANT ? `hourgate_${plant}` : `hourgate_${plant}/${device}`;

/** The components of a device. Its attributes, such as why a state is unknown, are on a topic of the device. */
export function componentsOf(
  plant: string,
  device: Pick<AnnouncedDevice, "id" | "entities">,
  topics: Topics,
): Components {
  const attributes = attributesTopic(plant, device.id, topics);
  return Object.fromEntries(
    device.entities.map(({ key, platform: p, name, config, unknown }) => {
      const unique_id = uniqueId(plant, key);
      const default_entity_id = entityId(p, plant, key);
      const why = unknown !== undefined && {
        json_attr_t: attributes,
        json_attr_tpl: `{{ (value_json.get('${key}') if value else None) | default({}, true) | to_json }}`,
      };
      return [key, { p, unique_id, name, default_entity_id, ...why, ...config }];
    }),
  );
}

/** The topic with the attributes of a device's entities, by their keys. */
export function attributesTopic(plant: string, device: string, topics: Topics): string {
  return topics.of(plant, `home_assistant/${device === PLANT ? "plant" : device}`);
}

/** The announcement of a device with these components. */
export function announcementOf(
  plant: string,
  device: Pick<AnnouncedDevice, "id" | "name" | "model">,
  components: Components,
  { topics, version, baseUrl }: AnnouncementView,
): Record<string, unknown> {
  return {
    dev: {
      ids: [identifier(plant, device.id)],
      name: device.name,
      mf: "hourgate",
      mdl: device.model,
      sw: version,
      ...(device.id !== PLANT && { via_device: identifier(plant, PLANT) }),
      cu: baseUrl,
    },
    o: { name: "hourgate", sw: version, url: baseUrl },
    availability: [{ topic: topics.status }],
    qos: 1,
    cmps: components,
  };
}

/** The announcement of a device that is gone, with just enough for Home Assistant to know it, and then to remove it. */
export function stubOf(gone: GoneDevice, view: AnnouncementView): Record<string, unknown> {
  const device = { id: gone.device, name: gone.plant, model: "hourgate" };
  return announcementOf(gone.plant, device, stubsOf(gone, view.topics), view);
}

/** The announcement of a device that also has its entities that are gone. */
export function withStubs(text: string, gone: GoneDevice, topics: Topics): string {
  const document = parseForeignJson(text) as { cmps: Components };
  return JSON.stringify({ ...document, cmps: { ...document.cmps, ...stubsOf(gone, topics) } });
}

function stubsOf({ plant, device, entities }: GoneDevice, topics: Topics): Components {
  const topic = topics.status;
  const config = (platform: Platform) => ({
    ...(isRead(platform) ? { stat_t: topic } : { cmd_t: topic }),
    ...(platform === "select" && { options: ["-"] }),
  });
  const stubs = [...entities].map(([key, platform]) => ({
    key,
    platform,
    name: key,
    config: config(platform),
  }));
  return componentsOf(plant, { id: device, entities: stubs }, topics);
}

const isRead = (platform: Platform) => platform === "sensor" || platform === "binary_sensor";

/** The entities of an announcement of this gateway with their platforms; undefined for other announcements. */
export function announcedEntities(text: string, topics: Topics): Map<string, Platform> | undefined {
  let document: unknown;
  try {
    document = parseForeignJson(text);
  } catch {
    return undefined;
  }
  const { availability, cmps } = (document ?? {}) as { availability?: unknown; cmps?: unknown };
  const [first] = Array.isArray(availability) ? (availability as { topic?: unknown }[]) : [];
  // Another gateway on the same broker has another prefix.
  if (first?.topic !== topics.status || typeof cmps !== "object" || cmps === null) return undefined;
  const described = Object.entries(cmps as Record<string, { p?: unknown; unique_id?: unknown } | null>);
  return new Map(
    described.flatMap(([key, component]) => {
      const platform = PLATFORMS.find((one) => one === component?.p);
      return platform !== undefined && component?.unique_id !== undefined ? [[key, platform] as const] : [];
    }),
  );
}

/** The words of the states of an announcement by the keys of their entities. */
export function announcedOptions(text: string): Map<string, string> {
  const { cmps = {} } = JSON.parse(text === "" ? "{}" : text) as {
    cmps?: Record<string, { options?: unknown }>;
  };
  return new Map(
    Object.entries(cmps).flatMap(([key, { options }]) =>
      options === undefined ? [] : [[key, JSON.stringify(options)] as const],
    ),
  );
}

/** An announcement whose entities that are not `present` are only listed, which removes them; undefined if all are. */
export function withoutGone(text: string, present: ReadonlySet<string>): string | undefined {
  const document = parseForeignJson(text) as { cmps: Record<string, { p: string }> };
  const gone = Object.keys(document.cmps).filter((key) => !present.has(key));
  if (gone.length === 0) return undefined;
  const removed = Object.fromEntries(gone.map((key) => [key, { p: document.cmps[key]!.p }]));
  return JSON.stringify({ ...document, cmps: { ...document.cmps, ...removed } });
}

/** The attributes of a device's entities: why the state of each unknown one is unknown. */
export function attributesOf(
  entities: readonly Entity[],
  value: (topic: string) => string | undefined,
  reasonOf: (entity: Entity) => string,
): Record<string, { reason: string }> {
  return Object.fromEntries(
    entities.flatMap((entity) => {
      if (entity.unknown === undefined) return [];
      const payload = value(String(entity.config.stat_t)) ?? "";
      const isUnknown = entity.isUnknown?.(payload) ?? payload === "";
      return isUnknown ? [[entity.key, { reason: reasonOf(entity) }]] : [];
    }),
  );
}
