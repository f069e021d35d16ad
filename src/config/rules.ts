import { BATTERY_READING_NAMES, SITE_READING_NAMES, SLOT_READING_NAMES } from "../core/domain/sample.js";
import { VIENNA } from "../core/time/zone.js";
import { compileTariff } from "../tariff/compile-tariff.js";
import { uncoveredTime } from "../tariff/price-windows.js";
import { TariffError, type TariffPeriod } from "../tariff/tariff.js";
import { type ConfigTexts, textsOf } from "../texts/index.js";
import type { KeyPath } from "./kit/node.js";
import { didYouMean } from "./kit/suggest.js";
import type { BatterySettings, PlantSettings, PvSettings, Settings, TelemetryMapEntry } from "./settings.js";
import { type KeyFinding, slotFindings } from "./slot-rules.js";
import type { FindingRule, SchemaFinding } from "./validate.js";

/** Names of inverters that are not listed, listed ones that no array names, and arrays with two limits. */
function inverterFindings({ pv, inverters }: PvSettings, texts: ConfigTexts): KeyFinding[] {
  const { rules } = texts;
  const ids = inverters.map(({ id }) => id);
  return [
    ...pv.flatMap(({ inverter, inverter_kw }, index): KeyFinding[] => {
      const key = `pv.${index}.inverter`;
      if (inverter === null) return [];
      if (!ids.includes(inverter)) {
        const message = rules.inverterId(inverter, ids.join(", ")) + didYouMean(inverter, ids, texts);
        return [{ key, rule: "inverter_unknown", message }];
      }
      if (inverter_kw === null) return [];
      return [{ key: `${key}_kw`, rule: "inverter_and_own_kw", message: rules.inverterKw(inverter) }];
    }),
    ...ids.flatMap((id, index): KeyFinding[] =>
      pv.some(({ inverter }) => inverter === id)
        ? []
        : [{ key: `inverters.${index}.id`, rule: "inverter_unused", message: rules.inverterUnused(id) }],
    ),
  ];
}

type RuleTexts = ConfigTexts["rules"];

/** Checks relations between values that a schema cannot express. `settings` is valid by the schema. */
export function checkRules(settings: Settings, texts: ConfigTexts = textsOf("en").config): SchemaFinding[] {
  const { rules } = texts;
  const ids = (plant: PlantSettings) => plant.id;
  return [
    ...duplicates(settings.plants, ids, { path: ["plants"], key: "id", rules }),
    ...settings.plants.flatMap((plant, index) => checkPlant(plant, ["plants", String(index)], texts)),
    ...checkPlantNames(settings, texts),
    ...checkSources(settings, rules),
    ...checkFreshness(settings, rules),
    ...checkPorts(settings, rules),
    ...checkProxies(settings, rules),
    ...checkFleet(settings, rules),
  ];
}

function checkFleet({ fleet, redis, store, mqtt, http, owner }: Settings, rules: RuleTexts): SchemaFinding[] {
  if (fleet.shards === null) return [];
  const needs = {
    "redis.url": redis.url,
    "store.postgres.url": store.postgres.url,
    "mqtt.external.url": mqtt.external.url,
    "http.base_url": http.base_url,
    "http.trust_proxy": http.trust_proxy === false || http.trust_proxy.toString() === "" ? null : true,
    "http.port": http.port === 0 ? null : true,
    "fleet.secret": fleet.secret === null && !hasPassword(store.postgres.url) ? null : true,
  };
  const missing = Object.entries(needs).flatMap(([key, value]) => (value === null ? [key] : []));
  const isHttps = fleet.address?.startsWith("https:") === true;
  const excluded = { "owner.key": owner.key, "http.base_path": http.base_path };
  return [
    ...(missing.length === 0
      ? []
      : [{ path: ["fleet", "shards"], message: rules.fleetNeeds(missing.join(", ")) }]),
    ...Object.entries(excluded).flatMap(([key, value]) =>
      value === null ? [] : [{ path: key.split("."), message: rules.fleetExcludes }],
    ),
    ...(isHttps ? [{ path: ["fleet", "address"], message: rules.fleetAddress }] : []),
  ];
}

function hasPassword(url: string | null): boolean {
  return url === null || new URL(url).password !== "";
}

function checkProxies({ http }: Settings, rules: RuleTexts): SchemaFinding[] {
  if (http.base_path !== null && (typeof http.trust_proxy === "boolean" || http.trust_proxy.length === 0))
    return [{ path: ["http", "base_path"], message: rules.basePath }];
  if (http.trust_proxy !== true) return [];
  return [{ path: ["http", "trust_proxy"], message: rules.proxies }];
}

/** Reports two listeners with the same port; 0 means any free port. */
function checkPorts({ http, mqtt, node_red }: Settings, rules: RuleTexts): SchemaFinding[] {
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
    return [{ path: key.split("."), message: rules.ports(other, port) }];
  });
}

/** Reports entries of a list whose `key` has the same value as that of an earlier entry. */
function duplicates<Entry>(
  entries: readonly Entry[],
  name: (entry: Entry) => string | number,
  { path, key, rules }: { path: KeyPath; key: string; rules: RuleTexts },
): SchemaFinding[] {
  const first = new Map<string | number, number>();
  return entries.flatMap((entry, index) => {
    const earlier = first.get(name(entry));
    if (earlier === undefined) {
      first.set(name(entry), index);
      return [];
    }
    const message = rules.unique([...path, earlier, key].join("."), name(entry));
    return [{ path: [...path, String(index), key], message, rule: "duplicate" }];
  });
}

function checkPlant(plant: PlantSettings, path: KeyPath, texts: ConfigTexts): SchemaFinding[] {
  const { rules } = texts;
  const findings: SchemaFinding[] = [];
  const report = (key: string, rule: FindingRule, message: string) =>
    findings.push({ path: [...path, ...key.split(".")], message, rule });
  const { battery, batteries, tariff } = plant;
  const checkOrder = (key: string, { min_soc_pct, max_soc_pct }: BatterySettings) => {
    if (min_soc_pct >= max_soc_pct)
      report(`${key}.min_soc_pct`, "soc_order", rules.below("max_soc_pct", max_soc_pct, min_soc_pct));
  };
  if (battery !== null) checkOrder("battery", battery);
  for (const [index, one] of batteries.entries()) checkOrder(`batteries.${index}`, one);
  if (battery !== null && batteries.length > 0)
    report("battery", "battery_and_batteries", rules.batteryAndBatteries);
  findings.push(...duplicates(batteries, ({ id }) => id, { path: [...path, "batteries"], key: "id", rules }));
  for (const { key, rule, message } of inverterFindings(plant, texts)) report(key, rule, message);
  findings.push(
    ...duplicates(plant.inverters, ({ id }) => id, { path: [...path, "inverters"], key: "id", rules }),
  );
  if ((plant.latitude === null) !== (plant.longitude === null))
    report(plant.latitude === null ? "latitude" : "longitude", "location_incomplete", rules.location);
  if (Array.isArray(tariff)) findings.push(...checkPeriods(tariff, [...path, "tariff"], texts));
  else if (tariff?.feed_in?.type === "fixed" && tariff.feed_in.ct_kwh === null)
    report("tariff.feed_in.ct_kwh", "feed_in_price_missing", rules.feedInPrice);
  if (plant.load.profile?.every((weight) => weight === 0))
    report("load.profile", "weights_zero", rules.noWeight);
  findings.push(
    ...duplicates(plant.slots, (slot) => slot.slot, { path: [...path, "slots"], key: "slot", rules }),
  );
  findings.push(
    ...duplicates(plant.actuators, (actuator) => actuator.id, {
      path: [...path, "actuators"],
      key: "id",
      rules,
    }),
  );
  findings.push(...checkDevices(plant, path, rules));
  for (const [index, slot] of plant.slots.entries())
    for (const { key, rule, message } of slotFindings(slot, rules))
      report(`slots.${index}.${key}`, rule, message);
  return findings;
}

/** Devices with the same id, and two that both give a reading; PV adds up. */
function checkDevices(
  { actuators, batteries, devices }: PlantSettings,
  path: KeyPath,
  rules: RuleTexts,
): SchemaFinding[] {
  const findings = duplicates(devices, ({ id }) => id, { path: [...path, "devices"], key: "id", rules });
  const readBy = new Map<string, string>();
  for (const [index, { id, reads, controls, fallback }] of devices.entries()) {
    const report = (key: string, message: string) =>
      findings.push({ path: [...path, "devices", String(index), key], message, rule: "duplicate" });
    if (actuators.some((one) => one.id === id)) report("id", rules.unique("actuators", id));
    if (batteries.length > 0) {
      const names = batteries.map((one) => one.id).join(", ");
      if (reads?.includes("battery")) report("reads", rules.severalBatteries(names));
      if (controls === "battery") report("controls", rules.severalBatteries(names));
    }
    if (fallback) continue;
    for (const role of reads ?? []) {
      const other = readBy.get(role);
      if (other !== undefined && role !== "pv") report("reads", rules.readTwice(role, other));
      readBy.set(role, id);
    }
  }
  return findings;
}

/** Windows that leave times without a price, where no price applies outside of them. */
function windowHoles(
  { energy, grid_usage: usage }: TariffPeriod,
  path: KeyPath,
  rules: RuleTexts,
): SchemaFinding[] {
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
        message: rules.hole(hole.month, hole.weekday, hole.time, key),
      },
    ];
  });
}

/** Relations within the periods of a tariff, as far as a schema cannot express them. */
function checkPeriods(periods: readonly TariffPeriod[], path: KeyPath, texts: ConfigTexts): SchemaFinding[] {
  try {
    compileTariff(periods, VIENNA);
    return periods.flatMap((period, index) => windowHoles(period, [...path, String(index)], texts.rules));
  } catch (error) {
    if (!(error instanceof TariffError)) throw error;
    const place = error.key.replaceAll(/\[(\d+)\]/g, ".$1").split(".");
    return [{ path: [...path, ...place.filter((part) => part !== "")], message: error.problem(texts) }];
  }
}

function checkPlantNames(settings: Settings, texts: ConfigTexts): SchemaFinding[] {
  const { rules } = texts;
  const ids = settings.plants.map((plant) => plant.id);
  const check = (plant: string | null, path: KeyPath): SchemaFinding[] =>
    plant === null || ids.includes(plant)
      ? []
      : [
          {
            path,
            message: rules.plantId(ids.slice(0, 10).join(", ")) + didYouMean(plant, ids, texts),
          },
        ];
  const { broker, telemetry } = settings.mqtt;
  return [
    ...broker.users.flatMap((user, index) =>
      check(user.plant, ["mqtt", "broker", "users", String(index), "plant"]),
    ),
    ...telemetry.flatMap((entry, index) => check(entry.plant, ["mqtt", "telemetry", String(index), "plant"])),
    ...telemetry.flatMap((entry, index) => checkReading(entry, index, { plants: settings.plants, rules })),
    ...duplicates(broker.users, (user) => user.username, {
      path: ["mqtt", "broker", "users"],
      key: "username",
      rules,
    }),
  ];
}

/** The field of a mapped topic fits its slot or battery, and the battery exists. */
function checkReading(
  { slot, battery, field, plant }: TelemetryMapEntry,
  index: number,
  { plants, rules }: Pick<Settings, "plants"> & { rules: RuleTexts },
): SchemaFinding[] {
  const path = ["mqtt", "telemetry", String(index)];
  if (battery !== null) {
    const known = (plants.find(({ id }) => id === plant) ?? plants[0])?.batteries.map(({ id }) => id) ?? [];
    if (slot !== null || !known.includes(battery)) {
      const message =
        slot !== null
          ? rules.together("slot")
          : known.length === 0
            ? rules.noBatteries
            : rules.batteryId(known.join(", "));
      return [{ path: [...path, "battery"], message, rule: "battery_unknown" }];
    }
  }
  const [allowed, where]: [readonly string[], "battery" | "site" | "slot"] =
    battery !== null
      ? [BATTERY_READING_NAMES, "battery"]
      : slot === null
        ? [SITE_READING_NAMES, "site"]
        : [SLOT_READING_NAMES, "slot"];
  if (allowed.includes(field)) return [];
  const message = rules.reading(where, allowed.join(", "), field);
  return [{ path: [...path, "field"], message, rule: "slot_reading" }];
}

function checkSources(settings: Settings, rules: RuleTexts): SchemaFinding[] {
  const findings: SchemaFinding[] = [];
  for (const [index, source] of settings.market.sources.entries()) {
    const path = ["market", "sources", String(index)];
    if (source.type === "entsoe" && source.enabled && source.token === null && source.token_file === null)
      findings.push({
        path: [...path, "token"],
        message: rules.token,
      });
    if (source.type === "entsoe" && source.token !== null && source.token_file !== null)
      findings.push({
        path: [...path, "token_file"],
        message: rules.together("token"),
      });
    if ((source.type === "file" || source.type === "mqtt") && source.url !== null) {
      const instead = source.type === "file" ? "path" : "topic";
      findings.push({
        path: [...path, "url"],
        message: rules.meaningless(source.type, instead),
      });
    }
  }
  for (const [index, source] of settings.weather.sources.entries()) {
    const path = ["weather", "sources", String(index), "url"];
    if (source.type === "file" && source.url !== null)
      findings.push({ path, message: rules.meaningless("file", "path") });
  }
  return findings;
}

function checkFreshness({ telemetry }: Settings, rules: RuleTexts): SchemaFinding[] {
  if (telemetry.stale_minutes <= telemetry.lost_minutes) return [];
  const message = rules.notAbove("lost_minutes", telemetry.lost_minutes, telemetry.stale_minutes);
  return [{ path: ["telemetry", "stale_minutes"], message }];
}
