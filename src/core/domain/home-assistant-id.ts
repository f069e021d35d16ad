/** What entities of a plant in Home Assistant share in their ids. */
export const uniqueId = (plant: string, key: string): string => `hourgate_${plant}_${key}`;

/** The id that is proposed for an entity; Home Assistant takes it unless the owner chooses another one. */
export function entityId(platform: string, plant: string, key: string): string {
  return `${platform}.${uniqueId(plant, key)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")}`;
}
