import type { Settings } from "../../config/settings.js";
import { FetchError } from "../../core/net/fetch.js";
import { SourceFileError } from "../../core/net/watched-file.js";
import { formatIso, VIENNA } from "../../core/time/zone.js";
import { VERSION } from "../../core/version.js";
import { PriceSeries } from "../../forecast/market/price-series.js";
import { coveredUntil, daysToFetch } from "../../forecast/market/publication.js";
import type { PriceSource } from "../../forecast/market/source.js";
import { createPriceSources } from "../../forecast/market/sources/create.js";
import { MqttPriceSource } from "../../forecast/market/sources/mqtt.js";
import type { Location } from "../../forecast/solar/sun.js";
import { locationOf } from "../../forecast/weather/place.js";
import type { WeatherSource } from "../../forecast/weather/source.js";
import { createWeatherSources } from "../../forecast/weather/sources/create.js";
import { about, type DoctorTexts, errorSentence, type Finding } from "./finding.js";

interface Check {
  now: Date;
  /** Time limit for each source, ms of wall time. */
  limitMs: number;
  texts: DoctorTexts;
}

interface Kind<Source extends { name: string; local?: boolean }> {
  /** The examined item: one source by its name, or all of them. */
  one(name: string): string;
  all: string;
  /** What the gateway uses if none of them answers. */
  without: string;
  sources: readonly Source[];
  /** Requests one source; rejects if it fails. */
  request(source: Source, signal: AbortSignal): Promise<Finding>;
}

/** Requests each price and weather source once, all at the same time. */
export async function examineSources(settings: Settings, check: Check): Promise<Finding[]> {
  const { what, sources } = check.texts;
  const place = settings.plants.map(locationOf).find((location) => location !== undefined);
  const prices: Kind<PriceSource> = {
    one: what.price,
    all: what.prices,
    without: sources.withoutPrices,
    sources: createPriceSources(settings.market.sources),
    request: (source, signal) => requestPrices(source, signal, check),
  };
  const weather: Kind<WeatherSource> = {
    one: what.weather,
    all: what.weathers,
    without: sources.withoutWeather,
    sources: createWeatherSources(settings.weather.sources, `hourgate/${VERSION} ${settings.owner.email}`),
    request: (source, signal) => requestWeather(source, place, { ...check, signal }),
  };
  const found = await Promise.all([examineKind(prices, check), examineKind(weather, check)]);
  return found.flat();
}

async function examineKind<Source extends { name: string; local?: boolean }>(
  { one, all, sources, without, request }: Kind<Source>,
  check: Check,
): Promise<Finding[]> {
  const texts = check.texts.sources;
  if (sources.length === 0) return [about(all).warn(texts.none(without))];
  const signal = AbortSignal.timeout(check.limitMs);
  const findings = await Promise.all(
    sources.map((source) =>
      request(source, signal).catch((error: unknown) =>
        about(one(source.name)).bad(
          signal.aborted ? texts.silent(check.limitMs / 1000) : failure(error, check.texts),
        ),
      ),
    ),
  );
  const works = findings.some(({ verdict }) => verdict !== "bad");
  return findings.map((finding, index) => {
    if (finding.verdict !== "bad") return finding;
    const { sentence } = finding;
    const advice = sources[index]?.local === true ? texts.adviceFile : texts.adviceNetwork;
    return works
      ? { ...finding, verdict: "warn", sentence: texts.otherServes(sentence) }
      : { ...finding, sentence: texts.noneServes({ fault: sentence, advice, without }) };
  });
}

function failure(error: unknown, { sources: texts }: DoctorTexts): string {
  if (error instanceof SourceFileError) return texts.file[error.problem](error.path, error.reason);
  return texts.failed(errorSentence(error), error instanceof FetchError ? error.fault : undefined);
}

async function requestPrices(
  source: PriceSource,
  signal: AbortSignal,
  { now, texts: { what, sources: texts } }: Check,
): Promise<Finding> {
  const found = about(what.price(source.name));
  if (source instanceof MqttPriceSource) return found.ok(texts.topic(source.topic));
  const { points, warnings = [] } = await source.fetch({ ...daysToFetch(now), now, signal });
  if (points.length === 0) return found.warn(texts.noPrices);
  const until = coveredUntil(PriceSeries.of(points), now);
  if (until <= now) return found.warn(texts.notCurrent(points.length, formatIso(now, VIENNA)));
  if (warnings.length > 0) return found.warn(texts.partly(warnings[0]!));
  return found.ok(texts.prices(points.length, formatIso(until, VIENNA)));
}

async function requestWeather(
  source: WeatherSource,
  place: Location | undefined,
  { now, signal, texts: { what, sources: texts } }: Check & { signal: AbortSignal },
): Promise<Finding> {
  const found = about(what.weather(source.name));
  if (place === undefined) return found.warn(texts.noLocation);
  const { hours, warnings = [] } = await source.fetch({ place, now, signal });
  const ahead = hours.filter(({ start }) => start >= now).length;
  if (ahead === 0) return found.warn(texts.noWeather(formatIso(now, VIENNA)));
  if (warnings.length > 0) return found.warn(texts.partly(warnings[0]!));
  return found.ok(texts.weather(ahead));
}
