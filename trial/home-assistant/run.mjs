// A real Home Assistant beside a real hourgate: joins them by Home Assistant's own form, checks what docs/home-assistant.md says, and
// prints one line for each check. See ../README.md.
//
//   node trial/home-assistant/run.mjs INSTALLATION own|mosquitto
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { documentedAutomations, writeConfiguration } from "./configuration.mjs";
import { CABIN, KEY, PLANTS, startGateway } from "./gateway.mjs";
import { HomeAssistant, startHomeAssistant } from "./home-assistant.mjs";

const [installation, broker = "mosquitto"] = process.argv.slice(2);
if (installation === undefined || !["own", "mosquitto"].includes(broker))
  throw new Error("usage: run.mjs INSTALLATION own|mosquitto");

const folder = mkdtempSync(join(tmpdir(), "hourgate-trial-"));
const [HTTP, MQTT, MOSQUITTO, PORT] = [18280, 18281, 18282, 18283];
const isOwn = broker === "own";
const log = join(folder, "home-assistant.log");
const ha = new HomeAssistant(PORT);
const children = new Map();
let failures = 0;

function check(name, isRight, seen = "") {
  if (!isRight) failures++;
  console.log(
    `${isRight ? "ok  " : "FAIL"} ${name}${isRight || seen === "" ? "" : `: ${JSON.stringify(seen)}`}`,
  );
}

/** Resolves with whether the condition holds within some seconds. */
async function within(seconds, condition) {
  for (let tenth = 0; tenth < seconds * 10; tenth++) {
    if (await condition().catch(() => false)) return true;
    await wait(100);
  }
  return false;
}

function gateway(plants = PLANTS) {
  const options = { folder: join(folder, "gateway"), http: HTTP, mqtt: MQTT, plants };
  children.set("gateway", startGateway({ ...options, ...(isOwn ? {} : { external: MOSQUITTO }) }));
  return within(60, async () => {
    const signal = AbortSignal.timeout(2_000);
    return (await fetch(`http://127.0.0.1:${HTTP}/health`, { signal })).status < 500;
  });
}

async function homeAssistant() {
  children.set("ha", startHomeAssistant({ installation, config: join(folder, "config"), port: PORT, log }));
  await ha.ready();
}

function end(name, signal = "SIGTERM") {
  const child = children.get(name);
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  return new Promise((resolve) => {
    child.on("exit", resolve);
    // Home Assistant runs below a shell and a chroot of its own group.
    process.kill(name === "ha" ? -child.pid : child.pid, signal);
  });
}

async function api(path, body) {
  const answer = await fetch(`http://127.0.0.1:${HTTP}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "X-API-Key": KEY, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return answer.json();
}

const state = async (id) => (await ha.states())[id];
const override = async () =>
  (await api("/v1/decision/hours-demand", {})).battery_override?.override ?? "auto";
const slotOf = async (id) =>
  (await api("/v1/plant/device-schedules")).recipes.find((one) => one.slot_id === id);
const devices = async () =>
  (await ha.ask("config/device_registry/list")).filter(({ manufacturer }) => manufacturer === "hourgate");
const entities = async () =>
  (await ha.ask("config/entity_registry/list")).filter(({ platform }) => platform === "mqtt");
/** Lines of the log that are about this trial; without the internet some others complain. */
const warnings = () =>
  readFileSync(log, "utf8")
    .split("\n")
    .filter(
      (line) =>
        / (WARNING|ERROR) /.test(line) && /mqtt|sensor|recorder|energy|automation|template/.test(line),
    )
    // The trial kills the gateway, and its broker with it.
    .filter((line) => !isOwn || !line.includes("The connection was lost"));

async function joined() {
  const fields = isOwn
    ? { broker: "127.0.0.1", port: MQTT, username: "homeassistant", password: KEY }
    : { broker: "127.0.0.1", port: MOSQUITTO };
  const step = await ha.addMqtt(fields);
  check("the form with its defaults joins the broker", step.type === "create_entry", step);
  const isThere = await within(
    30,
    async () => (await devices()).length === 5 && (await entities()).length > 70,
  );
  const list = await devices();
  check(
    "a device for the plants, the battery, the car and the boiler",
    isThere,
    list.map(({ name }) => name),
  );
  const home = list.find(({ name }) => name === "Home");
  const below = list.filter(({ via_device_id }) => via_device_id === home?.id).map(({ name }) => name);
  check("connected via the plant", below.sort().join() === "Battery,Boiler,Car", below);
}

async function beforeTheFirstReading() {
  // States follow their entities.
  await wait(5_000);
  const states = await ha.states();
  const ours = Object.values(states).filter(({ entity_id }) => entity_id.includes(".hourgate_"));
  const silent = ours.filter((one) => one.state === "unknown" && one.attributes.reason === undefined);
  check(
    "each unknown state has a reason",
    silent.length === 0,
    silent.map(({ entity_id }) => entity_id),
  );
  const shows = async (id, value) => (await state(id)).state === value;
  check("SOC stale is on", await within(20, () => shows("binary_sensor.hourgate_home_soc_stale", "on")));
  check("settings show their values", await within(20, () => shows("sensor.hourgate_home_min_soc", "10")));
  const large = ours.filter(({ attributes }) => JSON.stringify(attributes).length > 16_000);
  check(
    "attributes of at most 16 kB",
    large.length === 0,
    large.map(({ entity_id }) => entity_id),
  );
}

async function commands() {
  await api("/v1/plant/telemetry", { soc_pct: 50 });
  const plan = "sensor.hourgate_home_plan";
  check(
    "the first reading brings a plan",
    await within(60, async () => (await state(plan)).state !== "unknown"),
  );
  const hours = await within(20, async () => (await state(plan)).attributes.hours?.length >= 36);
  check("the plan has 36 hours as attributes", hours);
  const { attributes: price } = await state("sensor.hourgate_home_price");
  check("the price has today and tomorrow", price.today?.length === 96 && price.tomorrow?.length === 96);
  check(
    "and next, lowest, highest, average",
    [price.next, price.lowest, price.highest, price.average].every(Boolean),
  );
  const select = "select.hourgate_home_battery_override";
  for (const [option, word] of [
    ["charge", "charge"],
    ["hold", "hold"],
    ["automatic", "auto"],
  ]) {
    await ha.call("select", "select_option", { entity_id: select, option });
    check(
      `battery: ${option}`,
      await within(20, async () => (await override()) === word && (await state(select)).state === option),
    );
  }
  const target = "number.hourgate_home_battery_charge_target";
  await ha.call("number", "set_value", { entity_id: target, value: 70 });
  check("charge target", await within(10, async () => (await state(target)).state === "70"));
  const fullBy = "text.hourgate_home_slot_1_full_by";
  await ha.call("text", "set_value", { entity_id: fullBy, value: "06:45" });
  check("full by", await within(20, async () => (await slotOf("1")).override === "full"));
  await ha.call("text", "set_value", { entity_id: fullBy, value: "" });
  check(
    "an empty full by means automatic",
    await within(20, async () => (await slotOf("1")).override === "auto"),
  );
}

/** The readings of the automations arrive, and a device follows an output. */
async function automations() {
  const sending = documentedAutomations().filter(({ yaml }) => yaml.includes("mqtt.publish"));
  const switched = (service) => ha.call("automation", service, { entity_id: sending.map(({ id }) => id) });
  const latest = async () => (await api("/v1/plant/telemetry", { ev_power_kw: 0 })).latest ?? {};
  await switched("turn_on");
  const wanted = {
    soc_pct: 50.5,
    pv_power_kw: 2.5,
    load_power_kw: 0.9,
    battery_power_kw: 0,
    import_kwh: 4321,
    export_kwh: 567,
  };
  const isThere = async () => {
    const live = await latest();
    return Object.entries(wanted).every(([name, value]) => live[name] === value);
  };
  check("the automations of the page send all readings", await within(70, isThere), await latest());
  await switched("turn_off");
  const relay = "switch.my_device";
  const select = { entity_id: "select.hourgate_home_slot_2_override" };
  for (const [option, value] of [
    ["skip", "off"],
    ["run", "on"],
  ]) {
    await ha.call("select", "select_option", { ...select, option });
    check(
      `a device follows an output: ${value}`,
      await within(30, async () => (await state(relay)).state === value),
    );
  }
}

async function noise() {
  const counting = ha.changes(60);
  for (let count = 0; count < 6; count++) {
    await api("/v1/plant/telemetry", { soc_pct: 50 + count / 100 });
    await wait(9_000);
  }
  const busy = Object.entries(await counting).filter(([id, count]) => id.includes(".hourgate_") && count > 1);
  check(
    "no entity changes more than once a minute without another state, with a SOC every 9 s",
    busy.length === 0,
    busy,
  );
}

async function restarts() {
  const price = "sensor.hourgate_home_price";
  const before = (await entities()).map(({ unique_id, entity_id }) => `${unique_id} ${entity_id}`).sort();
  await end("gateway", "SIGKILL");
  check(
    "a killed gateway is unavailable",
    await within(60, async () => (await state(price)).state === "unavailable"),
  );
  check(
    "and the automation of the page switches off what it had on",
    await within(30, async () => (await state("switch.my_device")).state === "off"),
  );
  await gateway();
  const isBack = async () => Number.isFinite(Number((await state(price)).state));
  check("and back after its start", await within(60, isBack));
  await end("ha");
  await homeAssistant();
  check("states are back after a restart of Home Assistant", await within(60, isBack));
  const after = (await entities()).map(({ unique_id, entity_id }) => `${unique_id} ${entity_id}`).sort();
  check("with the same ids", before.join() === after.join());
}

async function energy() {
  const counter = "sensor.hourgate_home_grid_import";
  check(
    "a counter that is read appears",
    await within(60, async () => (await state(counter))?.state === "4321.0"),
  );
  const grid = {
    type: "grid",
    stat_energy_from: counter,
    stat_energy_to: "sensor.hourgate_home_grid_export",
    entity_energy_price: "sensor.hourgate_home_price_eur",
    entity_energy_price_export: "sensor.hourgate_home_export_price",
    stat_cost: null,
    stat_compensation: null,
    number_energy_price: null,
    number_energy_price_export: null,
    cost_adjustment_day: 0,
  };
  await ha.ask("energy/save_prefs", { energy_sources: [grid] });
  const { energy_sources } = await ha.ask("energy/validate");
  // Statistics are made every five minutes; until then they are not defined.
  const problems = energy_sources.flat().filter(({ type }) => type !== "statistics_not_defined");
  check("the energy dashboard takes counters and prices", problems.length === 0, problems);
}

async function goneIsGone() {
  await end("ha");
  await end("gateway");
  const [home] = PLANTS;
  const smaller = { ...home, slots: home.slots.slice(0, 1), actuators: [] };
  for (let run = 0; run < 2; run++) {
    await gateway([smaller]);
    await wait(3_000);
    if (run === 0) await end("gateway");
  }
  await homeAssistant();
  const names = async () =>
    (await devices())
      .map(({ name }) => name)
      .sort()
      .join();
  const isGone = await within(60, async () => (await names()) === "Battery,Car,Home");
  check(
    `what was removed while Home Assistant was off is gone (${CABIN.name}, Boiler)`,
    isGone,
    await names(),
  );
}

try {
  if (!isOwn) children.set("mosquitto", spawn("mosquitto", ["-p", String(MOSQUITTO)], { stdio: "ignore" }));
  writeConfiguration(join(folder, "config"));
  await gateway();
  await homeAssistant();
  await ha.onboard();
  await joined();
  await beforeTheFirstReading();
  await commands();
  await automations();
  await noise();
  await restarts();
  await energy();
  await goneIsGone();
  check("Home Assistant's log has no warning about it", warnings().length === 0, warnings().slice(0, 5));
} finally {
  for (const name of ["ha", "gateway", "mosquitto"]) await end(name);
  console.log(`${failures === 0 ? "all checks passed" : `${failures} checks failed`}; logs in ${folder}`);
}
process.exitCode = failures === 0 ? 0 : 1;
