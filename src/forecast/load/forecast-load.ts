import { checkDate, checkObject } from "../../core/check-fields.js";
import { floorTo, HOUR_MS } from "../../core/domain/interval.js";
import { DeviceDistributions, type PresentDevice } from "./device-load.js";
import { LoadDistributions } from "./load-distributions.js";
import { isLoadModel, type LoadModel } from "./load-model.js";
import { RANK_SHARES, sumOfNodes } from "./load-nodes.js";

/** The load of the hours asked for. */
export interface LoadForecast {
  /** Expected, kWh. */
  loadKwh: number[];
  /** Factors on it by rank, for each hour: the mean weighted by `shares` is 1. */
  ratios: number[][];
  /** Probability of each rank, sum 1. */
  shares: number[];
  /** Probability that the load keeps its rank for an hour. */
  persistence: number;
}

interface Distributions {
  home: LoadDistributions;
  devices: Map<number, DeviceDistributions>;
}

/** Distributions of a model are worked out once. */
const known = new WeakMap<LoadModel, Distributions>();

/**
 * The load of `hours` hours from `start` on. An hour that begins within a clock hour takes its share of both. `devices`: the devices of the
 * model that are part of it, with their present state; left out: none. Throws a RangeError that names the field for
 * input that makes no sense.
 */
export function forecastLoad(
  model: LoadModel,
  input: { start: Date; hours: number; devices?: readonly PresentDevice[] | undefined },
): LoadForecast {
  checkObject("The input", input, " with start and hours");
  const { start, hours, devices = [] } = input;
  checkDate("start", start);
  if (!(Number.isInteger(hours) && hours >= 0)) {
    throw new RangeError("hours must be a whole number of 0 or more.");
  }
  if (!Array.isArray(devices) || !devices.every((one) => Number.isInteger(one?.slot))) {
    throw new RangeError("devices must be an array of { slot }.");
  }
  const distributions = known.get(model) ?? distributionsOf(model);
  known.set(model, distributions);
  const firstMs = floorTo(start.getTime(), HOUR_MS);
  const at = (ms: number) =>
    devices.reduce<readonly number[]>((nodes, now) => {
      const device = distributions.devices.get(now.slot);
      return device === undefined ? nodes : sumOfNodes(nodes, device.at(ms, now, firstMs));
    }, distributions.home.at(ms));
  const begun = (start.getTime() - firstMs) / HOUR_MS;
  const forecast: LoadForecast = {
    loadKwh: [],
    ratios: [],
    shares: [...RANK_SHARES],
    persistence: model.persistence,
  };
  for (let k = 0; k < hours; k++) {
    const ms = firstMs + k * HOUR_MS;
    const later = begun === 0 ? undefined : at(ms + HOUR_MS);
    const nodes = at(ms).map((kwh, rank) =>
      later === undefined ? kwh : (1 - begun) * kwh + begun * later[rank]!,
    );
    const mean = nodes.reduce((sum, kwh, rank) => sum + RANK_SHARES[rank]! * kwh, 0);
    forecast.loadKwh.push(mean);
    forecast.ratios.push(nodes.map((kwh) => (mean > 0 ? kwh / mean : 1)));
  }
  return forecast;
}

function distributionsOf(model: LoadModel): Distributions {
  if (!isLoadModel(model)) throw new RangeError("model must be what learnLoad returns.");
  const devices = (model.devices ?? []).map(
    (one) => [one.slot, new DeviceDistributions(one, model)] as const,
  );
  return { home: new LoadDistributions(model), devices: new Map(devices) };
}
