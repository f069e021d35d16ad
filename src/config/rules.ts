import { BATTERY_READING_NAMES, SITE_READING_NAMES, SLOT_READING_NAMES } from "../domain/sample.js";
import { compileTariff } from "../tariff/compile-tariff.js";
import { uncoveredTime } from "../tariff/price-windows.js";
import { TariffError, type TariffPeriod } from "../tariff/tariff.js";
import { VIENNA } from "../time/zone.js";
import type { KeyPath } from "./schema/node.js";
import type { BatterySettings, PlantSettings, Settings, TelemetryMapEntry } from "./settings.js";
import { slotFindings } from "./slot-rules.js";
import { didYouMean } from "./suggest.js";
import type { FindingRule, SchemaFinding } from "./validate.js";

/** Checks relations between values that a schema cannot express. `settings` is valid by the schema. */
export function checkRules(settings: Settings): SchemaFinding[] {
  return [
    ...duplicates(settings.plants, (plant) => plant.id, ["plants"], "id"),
    ...settings.plants.flatMap((plant, index) => checkPlant(plant, ["plants", String(index)])),
    ...checkPlantNames(settings),
    ...checkSources(settings),
    ...checkFreshness(settings),
    ...checkPorts(settings),
    ...checkProxies(settings),
  ];
}

function checkProxies({ http }: Settings): SchemaFinding[] {
  if (http.base_path !== null && (typeof http.trust_proxy === "boolean" || http.trust_proxy.length === 0))
    return [{ path: ["http", "base_path"], message: "needs the address of the proxy in http.trust_proxy." }];
  if (http.trust_proxy !== true) return [];
  const message =
    "must list the addresses or networks of the proxies, such as [127.0.0.1]; true would let every client choose its address.";
  return [{ path: ["http", "trust_proxy"], message }];
}

/** Reports two listeners with the same port; 0 means any free port. */
function checkPorts({ http, mqtt, node_red }: Settings): SchemaFinding[] {
  // With an external broker the embedded one does not listen.
  const broker = mqtt.external.url === null && mqtt.broker.enabled ? mqtt.broker : undefined;
  const listeners = [
    { key: "http.port", port: http.port },
    { key: "mqtt.broker.port", port: broker?.port },
    { key: "mqtt.broker.ws_port", port: broker?.ws_port },
    { key: "mqtt.broker.tls.port", port: broker?.tls?.port },
    { key: "mqtt.broker.tls.ws_port", port: broker?.tls?.ws_port },
    { key: "node_red.port", port: node_red.enabled ? node_red.port : undefined },
  ];
  const taken = new Map<number, string>();
  return listeners.flatMap(({ key, port }) => {
    if (!port) return [];
    const other = taken.get(port);
    if (other === undefined) {
      taken.set(port, key);
      return [];
    }
    return [{ path: key.split("."), message: `must differ from ${other}; both are ${port}.` }];
  });
}

/** Reports entries of a list whose `key` has the same value as that of an earlier entry. */
function duplicates<Entry>(
  entries: readonly Entry[],
  name: (entry: Entry) => string | number,
  path: KeyPath,
  key: string,
): SchemaFinding[] {
  const first = new Map<string | number, number>();
  return entries.flatMap((entry, index) => {
    const earlier = first.get(name(entry));
    if (earlier === undefined) {
      first.set(name(entry), index);
      return [];
    }
    const message = `must be unique; ${[...path, earlier, key].join(".")} is ${name(entry)} too.`;
    return [{ path: [...path, String(index), key], message, rule: "duplicate" }];
  });
}

function checkPlant(plant: PlantSettings, path: KeyPath): SchemaFinding[] {
  const findings: SchemaFinding[] = [];
  const report = (key: string, rule: FindingRule, message: string) =>
    findings.push({ path: [...path, ...key.split(".")], message, rule });
  const { battery, batteries, tariff } = plant;
  const checkOrder = (key: string, { min_soc_pct, max_soc_pct }: BatterySettings) => {
    if (min_soc_pct >= max_soc_pct)
      report(
        `${key}.min_soc_pct`,
        "soc_order",
        `must be below max_soc_pct (${max_soc_pct}); found ${min_soc_pct}.`,
      );
  };
  if (battery !== null) checkOrder("battery", battery);
  for (const [index, one] of batteries.entries()) checkOrder(`batteries.${index}`, one);
  if (battery !== null && batteries.length > 0)
    report(
      "battery",
      "battery_and_batteries",
      "cannot be given together with batteries: move it there as an entry with an id.",
    );
  findings.push(...duplicates(batteries, ({ id }) => id, [...path, "batteries"], "id"));
  if ((plant.latitude === null) !== (plant.longitude === null))
    report(
      plant.latitude === null ? "latitude" : "longitude",
      "location_incomplete",
      "is missing: latitude and longitude are given together.",
    );
  if (Array.isArray(tariff)) findings.push(...checkPeriods(tariff, [...path, "tariff"]));
  else if (tariff?.feed_in?.type === "fixed" && tariff.feed_in.ct_kwh === null)
    report(
      "tariff.feed_in.ct_kwh",
      "feed_in_price_missing",
      "is missing: a fixed feed-in price needs its ct_kwh.",
    );
  if (plant.load.profile?.every((weight) => weight === 0))
    report("load.profile", "weights_zero", "must have at least one weight over 0.");
  findings.push(...duplicates(plant.slots, (slot) => slot.slot, [...path, "slots"], "slot"));
  findings.push(...duplicates(plant.actuators, (actuator) => actuator.id, [...path, "actuators"], "id"));
  for (const [index, slot] of plant.slots.entries())
    for (const { key, rule, message } of slotFindings(slot)) report(`slots.${index}.${key}`, rule, message);
  return findings;
}

/** Windows that leave times without a price, where no price applies outside of them. */
function windowHoles({ energy, grid_usage: usage }: TariffPeriod, path: KeyPath): SchemaFinding[] {
  const parts = [
    {
      key: "energy",
      windows: energy?.type === "time_windows" ? energy.windows : undefined,
      other: energy?.ct_kwh,
    },
    { key: "grid_usage", windows: usage?.windows, other: usage?.ct_kwh },
  ];
  return parts.flatMap(({ key, windows, other }) => {
    if (windows === undefined || windows.length === 0 || other !== undefined) return [];
    const hole = uncoveredTime(windows, `${key}.windows`);
    if (hole === undefined) return [];
    return [
      {
        path: [...path, key, "windows"],
        message: `leave a hole (${hole}): add a window without times as the first one, or ${key}.ct_kwh for the other times.`,
      },
    ];
  });
}

/** Relations within the periods of a tariff, as far as a schema cannot express them. */
function checkPeriods(periods: readonly TariffPeriod[], path: KeyPath): SchemaFinding[] {
  try {
    compileTariff(periods, VIENNA);
    return periods.flatMap((period, index) => windowHoles(period, [...path, String(index)]));
  } catch (error) {
    if (!(error instanceof TariffError)) throw error;
    const place = error.key.replaceAll(/\[(\d+)\]/g, ".$1").split(".");
    return [{ path: [...path, ...place.filter((part) => part !== "")], message: error.problem }];
  }
}

function checkPlantNames(settings: Settings): SchemaFinding[] {
  const ids = settings.plants.map((plant) => plant.id);
  const check = (plant: string | null, path: KeyPath): SchemaFinding[] =>
    plant === null || ids.includes(plant)
      ? []
      : [
          {
            path,
            message: `must be the id of a plant (${ids.slice(0, 10).join(", ")}).${didYouMean(plant, ids)}`,
          },
        ];
  const { broker, telemetry } = settings.mqtt;
  return [
    ...broker.users.flatMap((user, index) =>
      check(user.plant, ["mqtt", "broker", "users", String(index), "plant"]),
    ),
    ...telemetry.flatMap((entry, index) => check(entry.plant, ["mqtt", "telemetry", String(index), "plant"])),
    ...telemetry.flatMap((entry, index) => checkReading(entry, index, settings)),
    ...duplicates(broker.users, (user) => user.username, ["mqtt", "broker", "users"], "username"),
  ];
}

/** The field of a mapped topic fits its slot or battery, and the battery exists. */
function checkReading(
  { slot, battery, field, plant }: TelemetryMapEntry,
  index: number,
  { plants }: Settings,
): SchemaFinding[] {
  const path = ["mqtt", "telemetry", String(index)];
  if (battery !== null) {
    const known = (plants.find(({ id }) => id === plant) ?? plants[0])?.batteries.map(({ id }) => id) ?? [];
    if (slot !== null || !known.includes(battery)) {
      const message =
        slot !== null
          ? "cannot be given together with slot; keep one."
          : known.length === 0
            ? "must be left out: the plant has no entries in batteries."
            : `must be the id of an entry in batteries (${known.join(", ")}).`;
      return [{ path: [...path, "battery"], message, rule: "battery_unknown" }];
    }
  }
  const [allowed, where]: [readonly string[], string] =
    battery !== null
      ? [BATTERY_READING_NAMES, "with battery"]
      : slot === null
        ? [SITE_READING_NAMES, "without slot"]
        : [SLOT_READING_NAMES, "with slot"];
  if (allowed.includes(field)) return [];
  const message = `${where} must be one of ${allowed.join(", ")}; found ${field}.`;
  return [{ path: [...path, "field"], message, rule: "slot_reading" }];
}

function checkSources(settings: Settings): SchemaFinding[] {
  const findings: SchemaFinding[] = [];
  for (const [index, source] of settings.market.sources.entries()) {
    const path = ["market", "sources", String(index)];
    if (source.type === "entsoe" && source.enabled && source.token === null && source.token_file === null)
      findings.push({
        path: [...path, "token"],
        message: "is missing: entsoe needs a token or a token_file.",
      });
    if (source.type === "entsoe" && source.token !== null && source.token_file !== null)
      findings.push({
        path: [...path, "token_file"],
        message: "cannot be given together with token; keep one.",
      });
    if ((source.type === "file" || source.type === "mqtt") && source.url !== null) {
      const instead = source.type === "file" ? "path" : "topic";
      findings.push({
        path: [...path, "url"],
        message: `has no meaning for type ${source.type}; set ${instead}.`,
      });
    }
  }
  for (const [index, source] of settings.weather.sources.entries()) {
    const path = ["weather", "sources", String(index), "url"];
    if (source.type === "file" && source.url !== null)
      findings.push({ path, message: "has no meaning for type file; set path." });
  }
  return findings;
}

function checkFreshness({ telemetry }: Settings): SchemaFinding[] {
  if (telemetry.stale_minutes <= telemetry.lost_minutes) return [];
  const message = `must not exceed lost_minutes (${telemetry.lost_minutes}); found ${telemetry.stale_minutes}.`;
  return [{ path: ["telemetry", "stale_minutes"], message }];
}
