import type { Settings } from "../config/settings.js";
import { PriceSeries } from "../market/price-series.js";
import { coveredUntil, daysToFetch } from "../market/publication.js";
import type { PriceSource } from "../market/source.js";
import { createPriceSources } from "../market/sources/create.js";
import { MqttPriceSource } from "../market/sources/mqtt.js";
import type { Location } from "../solar/sun.js";
import { formatIso, VIENNA } from "../time/zone.js";
import { VERSION } from "../version.js";
import { locationOf } from "../weather/place.js";
import type { WeatherSource } from "../weather/source.js";
import { createWeatherSources } from "../weather/sources/create.js";
import { about, errorSentence, type Finding } from "./finding.js";

interface Kind<Source extends { name: string }> {
  name: string;
  /** What goes on when none of them answers. */
  without: string;
  sources: readonly Source[];
  /** Asks one source; rejects where it fails. */
  ask(source: Source, signal: AbortSignal): Promise<Finding>;
}

/** Asks each price and weather source once, all at the same time, none longer than `limitMs`. */
export async function examineSources(settings: Settings, now: Date, limitMs: number): Promise<Finding[]> {
  const place = settings.plants.map(locationOf).find((location) => location !== undefined);
  const prices: Kind<PriceSource> = {
    name: "price source",
    without: "the gateway goes on with the prices it holds, then with its forecast",
    sources: createPriceSources(settings.market.sources),
    ask: (source, signal) => askPrices(source, now, signal),
  };
  const weather: Kind<WeatherSource> = {
    name: "weather source",
    without: "the gateway goes on with the weather it holds, then with its climatology",
    sources: createWeatherSources(settings.weather.sources, `hourgate/${VERSION} ${settings.owner.email}`),
    ask: (source, signal) => askWeather(source, place, now, signal),
  };
  const found = await Promise.all([examineKind(prices, limitMs), examineKind(weather, limitMs)]);
  return found.flat();
}

async function examineKind<Source extends { name: string }>(
  kind: Kind<Source>,
  limitMs: number,
): Promise<Finding[]> {
  const { name, sources, without, ask } = kind;
  if (sources.length === 0) return [about(`${name}s`).warn(`None is configured; ${without}.`)];
  const signal = AbortSignal.timeout(limitMs);
  const findings = await Promise.all(
    sources.map((source) =>
      ask(source, signal).catch((error: unknown) =>
        about(`${name} ${source.name}`).bad(faultOf(error, signal, limitMs)),
      ),
    ),
  );
  const works = findings.some(({ verdict }) => verdict !== "bad");
  return findings.map((finding) => {
    if (finding.verdict !== "bad") return finding;
    return works
      ? {
          ...finding,
          verdict: "warn",
          sentence: `${finding.sentence} Another source serves; check this one's settings.`,
        }
      : {
          ...finding,
          sentence: `${finding.sentence} Check network, DNS and firewall; until then ${without}.`,
        };
  });
}

function faultOf(error: unknown, signal: AbortSignal, limitMs: number): string {
  return signal.aborted ? `No answer within ${limitMs / 1000} s.` : errorSentence(error);
}

async function askPrices(source: PriceSource, now: Date, signal: AbortSignal): Promise<Finding> {
  const found = about(`price source ${source.name}`);
  if (source instanceof MqttPriceSource)
    return found.ok(`Prices come with the next message on ${source.topic}; a retained one comes at once.`);
  const { points, warnings = [] } = await source.fetch({ ...daysToFetch(now), now, signal });
  if (points.length === 0)
    return found.warn("It answers, but has no price for yesterday, today or tomorrow.");
  const until = coveredUntil(PriceSeries.of(points), now);
  if (until <= now)
    return found.warn(
      `It answers with ${points.length} prices, none of them for the hour in progress (${formatIso(now, VIENNA)}).`,
    );
  if (warnings.length > 0) return found.warn(`It answers, but not all of it can be used: ${warnings[0]}`);
  return found.ok(`${points.length} prices, without a gap until ${formatIso(until, VIENNA)}.`);
}

async function askWeather(
  source: WeatherSource,
  place: Location | undefined,
  now: Date,
  signal: AbortSignal,
): Promise<Finding> {
  const found = about(`weather source ${source.name}`);
  if (place === undefined)
    return found.warn("Not asked: no plant says where it stands; set its latitude and longitude.");
  const { hours, warnings = [] } = await source.fetch({ place, now, signal });
  const ahead = hours.filter(({ start }) => start >= now).length;
  if (ahead === 0)
    return found.warn(`It answers, but tells nothing of the hours after ${formatIso(now, VIENNA)}.`);
  if (warnings.length > 0) return found.warn(`It answers, but not all of it can be used: ${warnings[0]}`);
  return found.ok(`Weather of ${ahead} hours ahead.`);
}
