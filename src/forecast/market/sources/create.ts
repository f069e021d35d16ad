import type { PriceSourceSettings } from "../../../config/settings.js";
import type { PriceSource } from "../source.js";
import { AwattarSource } from "./awattar.js";
import { EnergyChartsSource } from "./energy-charts.js";
import { EntsoeSource } from "./entsoe.js";
import { FileSource } from "./file.js";
import { HourgateSource } from "./hourgate.js";
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
      return new AwattarSource(options);
    case "energy_charts":
      return new EnergyChartsSource(options);
    case "entsoe":
      if (entry.token === null) throw new RangeError("The price source entsoe has no token.");
      return new EntsoeSource({ ...options, token: entry.token });
    case "hourgate":
      return new HourgateSource({ ...options, url: entry.url, key: entry.key ?? undefined });
    case "mqtt":
      return new MqttPriceSource(entry.topic);
    default:
      throw new RangeError(`Unknown price source "${(entry satisfies never as { type: string }).type}".`);
  }
}
