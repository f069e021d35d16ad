import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { stringify } from "yaml";
import { newKey } from "../../accounts/keys.js";
import { parse } from "../../config/load.js";
import { errorMessage } from "../../core/error-message.js";
import { DEMO_ACTUATORS, type DemoActuator } from "../demo/actuator-kinds.js";
import type { DemoDevices } from "../demo/devices.js";
import type { MqttHome } from "../demo/mqtt-home.js";
import type { DayResult } from "../demo/run.js";
import type { Servers } from "../servers.js";
import {
  type ArgumentsOf,
  CommandError,
  choiceOption,
  command,
  EXIT,
  numberOption,
  type Terminal,
} from "./command.js";

/** Wall time between two simulation steps, ms. */
const PAUSE_MS = 20;
const SAMPLES_PER_REQUEST = 1000;

const demoOptions = {
  speed: numberOption(
    { standard: 300, min: 1, max: 20_000 },
    "Times real time; default 300: a day in about five minutes.",
  ),
  days: numberOption(
    { standard: 7, min: 1, max: 60, integer: true },
    "Simulated days until it ends, 1 to 60; default 7.",
  ),
  "http-port": numberOption(
    { standard: 8080, min: 0, max: 65_535, integer: true },
    "Port of the portal and the API; default 8080, 0: any free port.",
  ),
  "mqtt-port": numberOption(
    { standard: 1883, min: 0, max: 65_535, integer: true },
    "Port of the MQTT broker; default 1883, 0: any free port.",
  ),
  seed: numberOption(
    { standard: 1, min: 0, max: 2 ** 31, integer: true },
    "Seed of the generated week; default 1.",
  ),
  actuator: choiceOption(
    DEMO_ACTUATORS,
    "The home obeys actuators instead of the outputs: its battery as evcc over MQTT, or over HTTP.",
  ),
};

export const demoCommand = command({
  name: "demo",
  summary: "Runs a gateway with a simulated home on a generated spring week, for trying it out.",
  options: demoOptions,
  run: runDemo,
});

async function runDemo(
  { options }: ArgumentsOf<typeof demoOptions>,
  terminal: Terminal,
  servers: Servers,
): Promise<number> {
  const { speed, days, seed, actuator, "http-port": httpPort, "mqtt-port": mqttPort } = options;
  const folder = mkdtempSync(join(tmpdir(), "hourgate-demo-"));
  const ended = new AbortController();
  const end = () => ended.abort();
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  try {
    await simulate(
      { speed, days, httpPort, mqttPort, seed, actuator, folder, ended: ended.signal },
      terminal,
      servers,
    );
    return EXIT.done;
  } catch (error) {
    throw new CommandError(`The demonstration ended: ${errorMessage(error)}`);
  } finally {
    process.off("SIGINT", end);
    process.off("SIGTERM", end);
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Choices {
  speed: number;
  days: number;
  httpPort: number;
  mqttPort: number;
  seed: number;
  actuator: DemoActuator | undefined;
}

async function simulate(
  {
    speed,
    days,
    httpPort,
    mqttPort,
    seed,
    actuator,
    folder,
    ended,
  }: Choices & { folder: string; ended: AbortSignal },
  terminal: Terminal,
  { loadGateway }: Servers,
): Promise<void> {
  // Loaded here so that other commands do not load the servers.
  const [
    { createScenario, demoSettings, pricesCsv, weatherCsv },
    { DemoRun },
    { MqttHome },
    { DemoDevices, demoActuators },
    { createGateway },
  ] = await Promise.all([
    import("../demo/scenario.js"),
    import("../demo/run.js"),
    import("../demo/mqtt-home.js"),
    import("../demo/devices.js"),
    loadGateway(),
  ]);
  const scenario = createScenario(days, seed);
  writeFileSync(join(folder, "prices.csv"), pricesCsv(scenario));
  writeFileSync(join(folder, "weather.csv"), weatherCsv(scenario));
  const key = newKey();
  const password = randomBytes(9).toString("base64url");
  let clock = () => scenario.start;
  const devices = actuator === undefined ? undefined : new DemoDevices(() => clock());
  const actuators =
    actuator === undefined || devices === undefined ? [] : demoActuators(actuator, await devices.start());
  const { settings } = parse(
    stringify(demoSettings(scenario, { folder, speed, httpPort, mqttPort, key, password, actuators })),
  );
  const gateway = createGateway(settings);
  const run = new DemoRun(scenario, seed);
  const history = run.history();
  let link: MqttHome | undefined;
  try {
    await gateway.start();
    const address = `http://localhost:${gateway.ports.http}`;
    await sendHistory(address, key, history);
    const broker = { url: `mqtt://127.0.0.1:${gateway.ports.mqtt}`, username: "demo-home", password: key };
    link = new MqttHome({ ...broker, root: "hourgate/home", commands: devices?.commands });
    await link.start();
    clock = await gatewayClock(address, speed);
    if (actuator === "evcc-battery") await devices?.startEvcc(broker);
    terminal.out(`The demonstration runs at ${address}`);
    terminal.out(`Sign in as owner@localhost with the password ${password}`);
    terminal.out(`API key: ${key}, MQTT: localhost:${gateway.ports.mqtt}`);
    terminal.out(
      `A simulated home with 6 kWp PV, a 10 kWh battery, a wallbox and a boiler obeys ${actuator === undefined ? "the outputs" : `its actuators (battery: ${actuator})`}.`,
    );
    terminal.out(`One day lasts ${describeSeconds(86_400 / speed)}. Ctrl-C ends it and deletes its data.`);
    await run.follow({
      link,
      days,
      now: () => {
        devices?.expire();
        return clock();
      },
      pause: () => wait(PAUSE_MS, true, { signal: ended }).catch(() => false),
      onDay: (day) => terminal.out(dayLine(day, devices)),
    });
  } finally {
    // The gateway leaves the devices to themselves at the end.
    await gateway.stop();
    await link?.stop();
    await devices?.stop();
  }
}

async function sendHistory(address: string, key: string, samples: readonly unknown[]): Promise<void> {
  for (let from = 0; from < samples.length; from += SAMPLES_PER_REQUEST) {
    const response = await fetch(`${address}/v1/plant/telemetry`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": key },
      body: JSON.stringify({ samples: samples.slice(from, from + SAMPLES_PER_REQUEST) }),
    });
    if (!response.ok) throw new Error(`the meter readings were refused: ${await response.text()}`);
  }
}

/** The clock of the gateway, read once and continued at its speed. */
async function gatewayClock(address: string, speed: number): Promise<() => Date> {
  const { time } = (await (await fetch(`${address}/v1/status`)).json()) as { time: string };
  const readAt = performance.now();
  const base = Date.parse(time);
  return () => new Date(base + (performance.now() - readAt) * speed);
}

function dayLine(
  { day, controlledCt, uncontrolledCt, controlled, socPct, refused }: DayResult,
  devices: DemoDevices | undefined,
): string {
  const eur = (ct: number) => `${(ct / 100).toFixed(2)} EUR`;
  const kwh = (value: number) => `${value.toFixed(1)} kWh`;
  return [
    `Day ${day}: ${eur(controlledCt)}, uncontrolled ${eur(uncontrolledCt)}`,
    `import ${kwh(controlled.importKwh)}, export ${kwh(controlled.exportKwh)}`,
    `battery +${kwh(controlled.chargeKwh)} -${kwh(controlled.dischargeKwh)}, ${socPct.toFixed(0)} %`,
    `car ${kwh(controlled.wallboxKwh)}, boiler ${kwh(controlled.boilerKwh)}`,
    ...(devices === undefined ? [] : [`${devices.writes} commands to devices so far`]),
    ...(refused > 0 ? [`${refused} messages refused`] : []),
  ].join(" · ");
}

const describeSeconds = (seconds: number) =>
  seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} minutes`;
