import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ConfigError, type ConfigProblem, problemText } from "../../src/config/error.js";
import { defaultSettings, load, parse } from "../../src/config/load.js";

const folder = mkdtempSync(join(tmpdir(), "hourgate-config-"));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function problemsOf(run: () => unknown): readonly ConfigProblem[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error("expected a ConfigError");
}

const problemsIn = (text: string, environment = {}) =>
  problemsOf(() => parse(text, { file: "x.yaml", environment }));
const linesOf = (text: string) => problemsIn(text).map(problemText);

describe("defaults", () => {
  it("an empty file is all defaults: one plant in Vienna with a 10 kWh battery", () => {
    const { settings } = parse("");
    expect(settings.plants).toHaveLength(1);
    expect(settings.plants[0]).toMatchObject({
      id: "home",
      latitude: 48.21,
      longitude: 16.37,
      timezone: "Europe/Vienna",
    });
    expect(settings.plants[0]?.battery).toEqual({
      capacity_kwh: 10,
      min_soc_pct: 10,
      max_soc_pct: 100,
      max_charge_power_kw: 5,
      max_discharge_power_kw: 5,
      efficiency_pct: 90,
      reserve_pct: 5,
      wear_ct_kwh: 1,
      grid_charge_allowed: true,
      export_allowed: false,
      controls: null,
    });
    expect(settings.http).toEqual({
      host: "0.0.0.0",
      port: 8080,
      base_url: null,
      tls: null,
      hosts: [],
      trust_proxy: [],
      base_path: null,
    });
    expect(settings.market.sources).toEqual([
      { type: "awattar", url: null, timeout_seconds: 10, enabled: true },
    ]);
    expect(settings.telemetry).toEqual({ stale_minutes: 15, lost_minutes: 120 });
    expect(settings.forecast.schedule).toBe("5 */6 * * *");
    expect(settings.smtp).toBeNull();
  });

  it("the quotas are those of docs/spec/http-api.md", () => {
    const full = { telemetry: 10000, pv: 288, weather: 288 };
    expect(defaultSettings().quotas).toEqual({
      basic: { decision: 60 },
      community: { decision: 120, telemetry: 2000, pv: 48, weather: 48 },
      trial: { decision: 600, ...full },
      professional: { decision: 600, ...full },
      oem: { decision: 3000, ...full },
    });
  });

  it("two loads share no objects", () => {
    const first = defaultSettings();
    first.plants[0]!.id = "changed";
    first.market.sources.length = 0;
    expect(defaultSettings().plants[0]?.id).toBe("home");
    expect(defaultSettings().market.sources).toHaveLength(1);
  });

  it("sections whose keys are commented out, and an empty list of plants, mean defaults", () => {
    const { settings } = parse("http:\n  # port: 1\nmqtt:\n  broker:\nquotas:\n  basic:\nplants: []\n");
    expect(settings).toEqual(defaultSettings());
  });

  it("a plant without a battery key has none, nor a tariff", () => {
    const plant = parse("plants: [{ id: a }]").settings.plants[0];
    expect(plant).toMatchObject({
      name: "a",
      battery: null,
      tariff: null,
      pv: [],
      slots: [],
      latitude: null,
    });
    expect(plant?.load).toEqual({ daily_kwh: 10, profile: null, bill_car_kwh: 0, bill_heat_pump_kwh: 0 });
    expect(plant?.grid).toEqual({ import_limit_kw: null, export_limit_kw: null, connection_kw: null });
  });

  it("an alias is a copy", () => {
    const { settings } = parse(
      "plants: [{ id: a, battery: &b { capacity_kwh: 7 } }, { id: b, battery: *b }]",
      {
        environment: { HOURGATE_PLANTS__0__BATTERY__CAPACITY_KWH: "9" },
      },
    );
    expect(settings.plants.map((plant) => plant.battery?.capacity_kwh)).toEqual([9, 7]);
  });
});

describe("every key of the documented listing is accepted", () => {
  it("accepts all keys", () => {
    const { settings } = parse(`
data_dir: data
http: { host: 0.0.0.0, port: 8080, base_url: null, tls: null, hosts: [], trust_proxy: false }
clock: { start: 2026-01-15T06:00:00+01:00, speed: 0, publish_at: "13:00" }
owner: { email: owner@localhost, password: null, key: null }
market:
  resolution_minutes: 15
  break_penalty_ct_kwh: 2
  sources: [ { type: awattar, url: "http://127.0.0.1:1/x" }, { type: energy_charts, timeout_seconds: 3 }, { type: entsoe, token: t }, { type: file, path: prices.csv, enabled: false }, { type: mqtt, topic: a/b }, { type: hourgate, url: "http://h", key: null } ]
weather: { sources: [ { type: open_meteo, key: k }, { type: met_no }, { type: file, path: w.json } ] }
forecast: { schedule: "5 */6 * * *" }
mqtt:
  broker: { enabled: true, host: 0.0.0.0, port: 1883, ws_port: null, anonymous: false, users: [{ username: u, password: p, plant: home }] }
  external: { url: null, username: null, password: null }
  prefix: hourgate
  homeassistant: { enabled: true, prefix: homeassistant }
  telemetry: [ { topic: "N/+/battery/512/Soc", path: "value", field: soc_pct, scale: 1, offset: 0, plant: home } ]
node_red: { enabled: true, path: /node-red, port: 1880, base_url: null }
webhooks: { allow_private_hosts: false }
quotas: { basic: { decision: 1 }, community: { telemetry: 5 } }
telemetry: { stale_minutes: 10, lost_minutes: 60 }
log: { level: debug }
smtp: { host: mail.example.org }
plants:
  - id: home
    name: Home
    latitude: 48
    longitude: 16
    timezone: Europe/Vienna
    tariff:
      { markup_ct_kwh: 1, markup_pct: 3, levies_ct_kwh: 1, vat_pct: 20, feed_in: { type: fixed, ct_kwh: 5, deduct_ct_kwh: 0, deduct_pct: 0 },
        grid_fee_ct_kwh: [{ months: "4-9", hours: "10-16", ct_kwh: 5 }] }
    battery: { capacity_kwh: 8, min_soc_pct: 5, max_soc_pct: 95, max_charge_power_kw: 3, max_discharge_power_kw: 3, efficiency_pct: 92, reserve_pct: 4, wear_ct_kwh: 2, grid_charge_allowed: false, export_allowed: true }
    pv: [{ peak_kw: 5, tilt_deg: 20, azimuth_deg: 90, losses_pct: 10, inverter_kw: 4 }]
    grid: { import_limit_kw: 10, export_limit_kw: 5 }
    load: { daily_kwh: 12, profile: [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1] }
    slots: [{ slot: 3, label: L, kind: boiler, power_kw: 2, window_start_hour: 22, window_end_hour: 6, hours: 2, segments: [1, 0.5], segment_consecutive: soft, deadline_strict: true, battery_to_ev_pct: 20, enabled: true, optimise: cost, store: { litres: 200, min_c: 40, max_c: 65, loss_w: 50, daily_kwh: 6, draw_profile: [0,0,0,0,0,0,2,2,1,1,1,1,1,1,1,1,1,2,2,2,1,1,0,0], legionella_c: 65 } },
      { slot: 4, vehicle: { capacity_kwh: 60, min_soc_pct: 30, target_soc_pct: 90, departure: { mon: "07:00", sat: "10:30" }, min_power_kw: 1.4, max_power_kw: 7.4, phases: 1, efficiency_pct: 88, surplus: only } },
      { slot: 5, kind: heat_pump, sg_ready: { dwell_min: 30, block: true, force: true } }]
`);
    expect(settings.market.sources.map((source) => source.type)).toHaveLength(6);
    expect(settings.clock).toEqual({ start: "2026-01-15T06:00:00+01:00", speed: 0, publish_at: "13:00" });
    expect(settings.plants[0]?.tariff).toMatchObject({
      grid_fee_ct_kwh: [{ months: "4-9", hours: "10-16", ct_kwh: 5 }],
    });
    expect(settings.quotas.community).toEqual({ decision: 120, telemetry: 5, pv: 48, weather: 48 });
    expect(settings.plants[0]?.slots[0]?.segments).toEqual([1, 0.5]);
    expect(settings.plants[0]?.slots[1]?.vehicle?.departure).toMatchObject({ mon: "07:00", sat: "10:30" });
  });
});

/** A plant with one slot. */
const slot = (text: string) => `plants: [{ id: a, slots: [${text}] }]`;

describe("problems name file, line, key and what is allowed", () => {
  it("range, type, unknown key with suggestion, all at once in order of lines", () => {
    expect(
      linesOf('http:\n  prot: 80\n  port: 99999\ndata_dir: 5\nmqtt:\n  broker:\n    enabled: "yes"\n'),
    ).toEqual([
      'x.yaml:2: http.prot: is not a known key. Did you mean "port"?',
      "x.yaml:3: http.port: must be a whole number from 0 to 65535 (TCP port); found 99999.",
      "x.yaml:4: data_dir: must be the path of a file or folder; found 5. Put it in quotes.",
      'x.yaml:7: mqtt.broker.enabled: must be true or false; found the text "yes".',
    ]);
  });

  it("a key that belongs elsewhere", () => {
    expect(linesOf("trust_proxy: true")).toEqual([
      'x.yaml:1: trust_proxy: is not a known key here. Did you mean "http.trust_proxy"?',
    ]);
  });

  it("a key of the entries of a list, where the list was left out", () => {
    expect(
      linesOf("plants:\n  - id: a\n    tariff:\n      vat_pct: 20\n      energy: { type: spot }"),
    ).toEqual([
      'x.yaml:5: plants.0.tariff.energy: is a key of the entries of a list: write "- " before the first key of tariff, and indent the others as far.',
    ]);
  });

  it("a key similar to none lists the known ones", () => {
    expect(linesOf("log: { xylophone: 1 }")[0]).toBe(
      "x.yaml:1: log.xylophone: is not a known key; known here: level, format.",
    );
  });

  it.each([
    [
      "plants:\n  - name: x\n",
      "x.yaml:2: plants.0.id: is missing: must be 1 to 32 characters of a-z, 0-9, _ and -.",
    ],
    [
      "plants: [{ id: A b }]",
      'x.yaml:1: plants.0.id: must be 1 to 32 characters of a-z, 0-9, _ and -; found the text "A b".',
    ],
    ["plants:\n - id: a\n - id: a\n", "x.yaml:3: plants.1.id: must be unique; plants.0.id is also a."],
    [
      "plants:\n - id: a\n   battery:\n     min_soc_pct: 50\n     max_soc_pct: 50\n",
      "x.yaml:4: plants.0.battery.min_soc_pct: must be below max_soc_pct (50); found 50.",
    ],
    [
      "plants: [{ id: a, slots: [{ slot: 1 }, { slot: 1 }] }]",
      "x.yaml:1: plants.0.slots.1.slot: must be unique; plants.0.slots.0.slot is also 1.",
    ],
    [
      "plants: [{ id: a, timezone: Europe/Viena }]",
      'x.yaml:1: plants.0.timezone: must be an IANA time zone such as Europe/Vienna; found the text "Europe/Viena".',
    ],
    [
      "clock: { start: yesterday }",
      "clock.start: must be an ISO 8601 time such as 2026-01-15T06:00:00+01:00, or null",
    ],
    ["clock: { publish_at: 780 }", "clock.publish_at: must be a time of day as HH:MM"],
    ["clock: { publish_at: 25:00 }", "clock.publish_at: must be a time of day as HH:MM"],
    ["forecast: { schedule: 0 0 31 2 * }", "forecast.schedule: must be a cron pattern"],
    ["forecast: { schedule: hourly }", "forecast.schedule: must be a cron pattern"],
    ["mqtt: { prefix: a/# }", "mqtt.prefix: must be a topic without + and #"],
    ["mqtt: { prefix: evcc/x }", "mqtt.prefix: must be a topic without + and #"],
    [
      "mqtt: { telemetry: [{ topic: a/#/b, field: soc_pct }] }",
      "mqtt.telemetry.0.topic: must be an MQTT topic",
    ],
    ["mqtt: { telemetry: [{ topic: a, field: soc }] }", 'found the text "soc".'],
    ["mqtt: { telemetry: [{ topic: a, field: soc_pct, plant: hone }] }", 'Did you mean "home"?'],
    [
      "market: { sources: [{ type: awatar }] }",
      'market.sources.0.type: must be one of awattar, energy_charts, entsoe, file, mqtt, hourgate; found the text "awatar". Did you mean "awattar"?',
    ],
    [
      "market: { sources: [{ path: x }] }",
      "market.sources.0.type: is missing: must be one of awattar, energy_charts",
    ],
    ["market: { sources: [{ type: file }] }", "market.sources.0.path: is missing"],
    ["market: { sources: [{ type: awattar, path: x }] }", "market.sources.0.path: is not a known key"],
    ["market: { sources: [{ type: entsoe }] }", "market.sources.0.token: is missing"],
    [
      "market: { sources: [{ type: awattar, url: ftp://x }] }",
      "must be an address that starts with http:// or https://, or null",
    ],
    ["market: { resolution_minutes: 30 }", "must be one of 60, 15, null; found 30."],
    [
      "plants: [{ id: a, tariff: { grid_fee_ct_kwh: [{ months: 4-13, ct_kwh: 1 }] } }]",
      "grid_fee_ct_kwh.0.months: must be two months",
    ],
    [
      "plants: [{ id: a, tariff: { grid_fee_ct_kwh: [{ hours: 24-3, ct_kwh: 1 }] } }]",
      "grid_fee_ct_kwh.0.hours: must be a start hour",
    ],
    [
      "plants: [{ id: a, tariff: { grid_fee_ct_kwh: [{ hours: 1-3 }] } }]",
      "grid_fee_ct_kwh.0.ct_kwh: is missing",
    ],
    ["plants: [{ id: a, tariff: { feed_in: { type: fixed } } }]", "feed_in.ct_kwh: is missing"],
    [
      "plants: [{ id: a, load: { profile: [1, 2] } }]",
      "must be a list of 24 entries, each a number from 0 to 1000000 (weight), or null; found a list of 2 entries.",
    ],
    [
      "plants: [{ id: a, battery: { capacity_kwh: .inf } }]",
      "must be a number above 0 up to 100000 (kWh); found Infinity.",
    ],
    [
      "mqtt: { telemetry: [{ topic: a, field: power_kw }] }",
      "mqtt.telemetry.0.field: without slot must be one of soc_pct, import_kwh",
    ],
    [
      "mqtt: { telemetry: [{ topic: a, field: pv_power_kw, slot: 2 }] }",
      "mqtt.telemetry.0.field: with slot must be one of power_kw, soc_pct, temperature_c, energy_kwh; found pv_power_kw.",
    ],
    ["plants: [{ id: a, latitude: 48 }]", "plants.0.longitude: is missing"],
    [
      slot("{ slot: 1, vehicle: { capacity_kwh: 50, min_soc_pct: 60, target_soc_pct: 50 } }"),
      "slots.0.vehicle.target_soc_pct: must not be below min_soc_pct (60); found 50.",
    ],
    [
      slot("{ slot: 1, vehicle: { capacity_kwh: 50, departure: 7:00 } }"),
      'slots.0.vehicle.departure: must be a time of day as HH:MM, such as "13:00", or a section of keys; found the text "7:00".',
    ],
    [
      slot('{ slot: 1, vehicle: { capacity_kwh: 50, departure: { mon: "25:00" } } }'),
      "slots.0.vehicle.departure.mon: must be a time of day as HH:MM",
    ],
    [
      slot('{ slot: 1, vehicle: { capacity_kwh: 50, departure: { monday: "07:00" } } }'),
      "slots.0.vehicle.departure.monday: is not a known key",
    ],
    [
      slot("{ slot: 1, vehicle: { capacity_kwh: 50, departure: {} } }"),
      "slots.0.vehicle.departure: must have a time for at least one weekday",
    ],
    [
      slot("{ slot: 1, power_kw: 3, vehicle: { capacity_kwh: 50, min_power_kw: 4 } }"),
      "slots.0.vehicle.min_power_kw: must not exceed the largest charging power (3); found 4.",
    ],
    [slot("{ slot: 1, vehicle: {} }"), "slots.0.vehicle.capacity_kwh: is missing"],
    [
      slot("{ slot: 1, kind: boiler, vehicle: { capacity_kwh: 50 } }"),
      "slots.0.vehicle: is only possible for kind wallbox; found kind boiler.",
    ],
    [
      slot("{ slot: 1, power_kw: 2, store: { litres: 200 } }"),
      "slots.0.store: is only possible for kind boiler; found kind wallbox.",
    ],
    [slot("{ slot: 1, kind: boiler, store: { litres: 200 } }"), "slots.0.power_kw: is missing"],
    [
      slot("{ slot: 1, kind: boiler, power_kw: 2, store: { litres: 200, min_c: 60, max_c: 60 } }"),
      "slots.0.store.min_c: must be below max_c (60); found 60.",
    ],
    [
      slot("{ slot: 1, optimise: costs }"),
      'slots.0.optimise: must be one of price, cost, null; found the text "costs". Did you mean "cost"?',
    ],
    [
      "telemetry: { stale_minutes: 200 }",
      "telemetry.stale_minutes: must not exceed lost_minutes (120); found 200.",
    ],
    ["- a\n- b\n", "x.yaml:1: must be a section of keys"],
    ["just text", "x.yaml:1: must be a section of keys"],
  ])("%s", (text, sentence) => {
    expect(linesOf(text).join("\n")).toContain(sentence);
  });

  it.each([
    ["http:\n  port: 1\nhttp:\n  port: 2\n", 3, "the same key occurs twice"],
    ["http:\n\tport: 1\n", 2, "a tab is used to indent"],
    ["a: 1\n---\nb: 2\n", 2, "a second document begins here"],
    ['log:\n  level: "info\n', 2, "missing"],
    ["owner: { password: *nothing }", 1, "an anchor that does not exist"],
    ["owner:\n  password: !!binary aGk=\n", 2, "unknown tag"],
    ["a: &a [*a]", 1, "in a circle"],
  ])("invalid YAML: %s", (text, line, sentence) => {
    const [first] = problemsIn(text);
    expect(first).toMatchObject({ file: "x.yaml", line });
    expect(first?.message).toContain(sentence);
  });

  it.each([20_000, 60])("nesting of %d levels", (depth) => {
    const [first] = problemsIn(`data_dir: ${"[".repeat(depth)}${"]".repeat(depth)}`);
    expect(first?.message).toMatch(/nested too deeply|is not readable as YAML/);
  });

  it("never shows a secret", () => {
    const secret = "hunter2hunter2";
    const texts = [
      `owner: { key: ${secret} }`,
      `owner: ${secret}`,
      `owner: { password: [${secret}] }`,
      `owner: { password: !${secret} x }`,
      `owner: { password: *${secret} }`,
      `owner: { password: "${secret} }`,
      `mqtt: { external: { url: "mqtt://me:${secret}@/x y" } }`,
      `mqtt: { broker: { users: [${secret}] } }`,
      `market: { sources: [{ type: entsoe, token: { x: ${secret} } }] }`,
    ];
    for (const text of texts) {
      const lines = linesOf(text);
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.join("\n")).not.toContain(secret);
    }
  });
});

describe("the file", () => {
  it("is the named one, otherwise HOURGATE_CONFIG", () => {
    const one = fileOf("one.yaml", "http: { port: 1 }");
    const two = fileOf("two.yaml", "http: { port: 2 }");
    expect(load(one, { HOURGATE_CONFIG: two })).toMatchObject({ file: one, settings: { http: { port: 1 } } });
    expect(load(undefined, { HOURGATE_CONFIG: two })).toMatchObject({
      file: two,
      settings: { http: { port: 2 } },
    });
  });

  it("says how to create a missing one", () => {
    const path = join(folder, "none.yaml");
    const [problem] = problemsOf(() => load(path, {}));
    expect(problem).toEqual({
      file: path,
      key: "",
      message: `cannot be read: there is no file ${path}. Name an existing file with --config or HOURGATE_CONFIG, or copy the example config/hourgate.yaml; an empty file means all defaults.`,
    });
    expect(problemsOf(() => load(folder, {}))[0]?.message).toContain("is a folder");
    expect(problemsOf(() => load("a\0b", {}))[0]?.message).toContain("cannot be read");
  });

  it("refuses a file that cannot be one by its size, without reading it", () => {
    const file = join(folder, "large.yaml");
    writeFileSync(file, "");
    truncateSync(file, 3e9);
    expect(() => load(file, {})).toThrow(/large\.yaml is larger than 2 MB; is it another file\?/);
  });

  it("names the file of a token", () => {
    const token = fileOf("token", " secret-token\n");
    const text = (path: string) =>
      `market: { sources: [{ type: entsoe, token_file: ${JSON.stringify(path)} }] }`;
    expect(parse(text(token)).settings.market.sources[0]).toMatchObject({ token: "secret-token" });
    expect(linesOf(text(`${token}x`))[0]).toMatch(
      /^x.yaml:1: market.sources.0.token_file: cannot be used: there is no/,
    );
  });
});

describe("the step of the prices", () => {
  it.each([
    ["{ sources: [{ type: energy_charts }] }", 15],
    ["{ sources: [{ type: awattar }, { type: energy_charts }] }", 60],
    ["{ sources: [{ type: energy_charts }], resolution_minutes: 60 }", 60],
    ["{ resolution_minutes: 15 }", 15],
    ["{}", 60],
    ["{ sources: [{ type: file, path: none.csv }] }", 60],
    ["{ sources: [{ type: awattar, enabled: false }, { type: energy_charts }] }", 15],
  ])("follows the first source where it is not stated: %s", (market, minutes) => {
    expect(parse(`market: ${market}`).settings.market.resolution_minutes).toBe(minutes);
  });

  it.each([
    ["2026-01-15T22:00Z,90\n2026-01-15T23:00Z,95\n", 60],
    ["2025-09-30T21:00Z,90\n2025-09-30T22:00Z,91\n2025-09-30T22:15Z,80\n", 15],
  ])("follows the newest rows of a file: %j", (rows, minutes) => {
    const path = fileOf("prices.csv", `start_utc,eur_per_mwh\n${rows}`);
    const { market } = parse(`market: { sources: [{ type: file, path: ${path} }] }`).settings;
    expect(market.resolution_minutes).toBe(minutes);
  });
});

describe("ports", () => {
  const tls = (ports: string) =>
    `mqtt: { broker: { tls: { cert_file: ${fileOf("tls.crt", "")}, key_file: ${fileOf("tls.key", "")}, ${ports} } } }`;

  it.each([
    ["http: { port: 1883 }", "mqtt.broker.port: must differ from http.port; both are 1883."],
    [
      "mqtt: { broker: { ws_port: 8080 } }",
      "mqtt.broker.ws_port: must differ from http.port; both are 8080.",
    ],
    ["mqtt: { broker: { port: 1880 } }", "node_red.port: must differ from mqtt.broker.port; both are 1880."],
    [tls("port: 1883"), "mqtt.broker.tls.port: must differ from mqtt.broker.port; both are 1883."],
    [tls("ws_port: 8883"), "mqtt.broker.tls.ws_port: must differ from mqtt.broker.tls.port; both are 8883."],
    ["http: { port: 1880 }", "node_red.port: must differ from http.port; both are 1880."],
  ])("must not be used by two listeners: %s", (text, message) => {
    expect(linesOf(text).map((line) => line.replace(/^x\.yaml:\d+: /, ""))).toEqual([message]);
  });

  it.each([
    "http: { port: 0 }\nmqtt: { broker: { port: 0, ws_port: 0 } }\nnode_red: { port: 0 }",
    "http: { port: 1883 }\nmqtt: { broker: { enabled: false } }",
    "http: { port: 1883 }\nmqtt: { external: { url: mqtt://broker.example } }",
    "http: { port: 1880 }\nnode_red: { enabled: false }",
  ])("may be equal if only one listens: %s", (text) => {
    expect(() => parse(text)).not.toThrow();
  });
});

describe("devices", () => {
  const plant = (devices: string, batteries = "[{ id: garage }, { id: roof }]") =>
    `plants: [{ id: home, batteries: ${batteries}, devices: [${devices}] }]`;

  it("are for the only battery of a plant, and two must not read the same", () => {
    const several = plant("{ id: one, template: t, reads: [battery, pv], controls: battery }");
    expect(linesOf(several)).toEqual(
      ["reads", "controls"].map((key) =>
        expect.stringMatching(
          new RegExp(
            `plants.0.devices.0.${key}: names battery, but the plant has several \\(garage, roof\\)`,
          ),
        ),
      ),
    );
    const twice = plant(
      "{ id: one, template: t, reads: [grid] }, { id: two, template: t, reads: [grid] }",
      "[]",
    );
    expect(linesOf(twice)).toEqual([expect.stringContaining("which the device one reads already")]);
    expect(() => parse(twice.replace("id: two,", "id: two, fallback: true,"))).not.toThrow();
  });
});
