import type { PriceSourceSettings } from "../../../config/settings.js";
import type { PriceSource } from "../source.js";
import { awattarSource } from "./awattar.js";
import { energyChartsSource } from "./energy-charts.js";
import { entsoeSource } from "./entsoe.js";
import { FileSource } from "./file.js";
import { hourgateSource } from "./hourgate.js";
import { MqttPriceSource } from "./mqtt.js";

/**
 * Creates the sources of `market.sources` in their order, without those that are disabled. Throws RangeError for an
 * unknown type and for a setting that the configuration check would have rejected.
 */
export function createPriceSources(settings: readonly PriceSourceSettings[]): PriceSource[] {
  return settings.filter(({ enabled }) => enabled).map(createPriceSource);
}

function createPriceSource(entry: PriceSourceSettings): PriceSource {
  const options = { url: entry.url ?? undefined, timeoutMs: entry.timeout_seconds * 1000 };
  switch (entry.type) {
    case "file":
      return new FileSource(entry.path);
    case "awattar":
      return awattarSource(options);
    case "energy_charts":
      return energyChartsSource(options);
    case "entsoe":
      if (entry.token === null) throw new RangeError("The price source entsoe has no token.");
      return entsoeSource({ ...options, token: entry.token });
    case "hourgate":
      return hourgateSource({ ...options, url: entry.url, key: entry.key ?? undefined });
    case "mqtt":
      return new MqttPriceSource(entry.topic);
    default:
      throw new RangeError(`Unknown price source "${(entry satisfies never as { type: string }).type}".`);
  }
}
