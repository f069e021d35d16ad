import type { PriceSource } from "../source.js";
import { AwattarSource } from "./awattar.js";
import { EnergyChartsSource } from "./energy-charts.js";
import { EntsoeSource } from "./entsoe.js";
import { FileSource } from "./file.js";
import { HourgateSource } from "./hourgate.js";
import { MqttPriceSource } from "./mqtt.js";

/** One entry of `market.sources`, as far as it concerns making the source. */
export interface SourceSettings {
  type: string;
  url?: string | null | undefined;
  path?: string | undefined;
  token?: string | null | undefined;
  key?: string | null | undefined;
  topic?: string | undefined;
  timeout_seconds?: number | undefined;
  enabled?: boolean | undefined;
}

/** Makes the sources of `market.sources` in their order; leaves out what is switched off. */
export function createPriceSources(settings: readonly SourceSettings[]): PriceSource[] {
  return settings.flatMap((entry) => (entry.enabled === false ? [] : sourceOf(entry)));
}

function sourceOf({
  type,
  url,
  path,
  token,
  key,
  topic,
  timeout_seconds: seconds,
}: SourceSettings): PriceSource[] {
  const options = { url: url ?? undefined, timeoutMs: seconds === undefined ? undefined : seconds * 1000 };
  if (type === "file" && path !== undefined) return [new FileSource(path)];
  if (type === "awattar") return [new AwattarSource(options)];
  if (type === "energy_charts") return [new EnergyChartsSource(options)];
  // The configuration's check has seen to it that token and url are there.
  if (type === "entsoe" && token) return [new EntsoeSource({ ...options, token })];
  if (type === "hourgate" && url) return [new HourgateSource({ ...options, url, key: key ?? undefined })];
  if (type === "mqtt" && topic !== undefined) return [new MqttPriceSource(topic)];
  return [];
}
