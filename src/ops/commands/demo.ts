import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { stringify } from "yaml";
import { newKey } from "../../accounts/keys.js";
import { parse } from "../../config/load.js";
import { DAY_MS, MINUTE_MS } from "../../core/domain/interval.js";
import { errorMessage } from "../../core/error-message.js";
import { DEMO_ACTUATORS } from "../demo/actuator-kinds.js";
import type { DemoDevices } from "../demo/devices.js";
import type { MqttHome } from "../demo/mqtt-home.js";
import type { DayResult, DemoSummary } from "../demo/run.js";
import { sendHistory } from "../demo/send-history.js";
import { listenFault } from "../doctor/ports.js";
import type { Servers } from "../servers.js";
import {
  type ArgumentsOf,
  CommandError,
  choiceOption,
  command,
  EXIT,
  flagOption,
  numberOption,
  type Terminal,
  usageError,
  valueOption,
} from "./command.js";

const HOST = "127.0.0.1";
/** Wall time between two looks at the clock, ms. */
const PAUSE_MS = 5;
/**
 * How a demonstration lives up to the time at which its clock stops: as fast as this machine can, with fewer readings and rougher expectations.
 */
const HELD = { speed: 100_000, stepMinutes: 5, sampledLoads: 20 };

const demoOptions = {
  speed: numberOption(
    { standard: 300, min: 1, max: 20_000 },
    "Times real time; default 300: a day in about five minutes. A machine that cannot keep up is slower.",
  ),
  days: numberOption(
    { standard: 7, min: 1, max: 60, integer: true },
    "Simulated days, 1 to 60; default 7. Then the clock stops, and the portal stays until Ctrl-C.",
  ),
  hold: flagOption(
    "Lives through the days as fast as this machine can, for a look at a home that is lived in.",
  ),
  until: valueOption(
    "TIME",
    "As --hold, up to a time in the first week, such as 'Sat 18:40', from two days before that day on.",
  ),
  exit: flagOption("Ends after the days instead of waiting for Ctrl-C."),
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
  for (const option of ["http-port", "mqtt-port"] as const) await checkPort(`--${option}`, options[option]);
  const folder = mkdtempSync(join(tmpdir(), "hourgate-demo-"));
  const ended = new AbortController();
  const end = () => ended.abort();
  process.once("SIGINT", end);
  process.once("SIGTERM", end);
  try {
    await simulate({ ...options, folder, ended: ended.signal }, terminal, servers);
    return EXIT.done;
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`The demonstration ended: ${errorMessage(error)}`);
  } finally {
    process.off("SIGINT", end);
    process.off("SIGTERM", end);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Throws CommandError if a port of the demonstration cannot be opened. */
async function checkPort(option: string, port: number): Promise<void> {
  const fault = await listenFault(HOST, port);
  if (fault !== undefined)
    throw new CommandError(
      fault === "EADDRINUSE"
        ? `Port ${port} is in use by another program: choose another one with ${option}, such as ${option} 0 for any free one.`
        : `Port ${port} cannot be opened (${fault}): choose another one with ${option}.`,
    );
}

async function simulate(
  options: ArgumentsOf<typeof demoOptions>["options"] & { folder: string; ended: AbortSignal },
  terminal: Terminal,
  { loadGateway }: Servers,
): Promise<void> {
  // Loaded here so that other commands do not load the servers.
  const [
    { createScenario, demoSettings, pricesCsv, startOfHeld, timeInWeek, weatherCsv },
    { DemoRun },
    { PacedClock },
    { MqttHome },
    { DemoDevices, demoActuators },
    { createGateway },
  ] = await Promise.all([
    import("../demo/scenario.js"),
    import("../demo/run.js"),
    import("../demo/clock.js"),
    import("../demo/mqtt-home.js"),
    import("../demo/devices.js"),
    loadGateway(),
  ]);
  const { days, seed, actuator, folder, ended, "http-port": httpPort, "mqtt-port": mqttPort } = options;
  const isHeld = options.hold || options.until !== undefined;
  const { speed, stepMinutes, sampledLoads } = isHeld
    ? HELD
    : { speed: options.speed, stepMinutes: 1, sampledLoads: undefined };
  const heldAt = options.until === undefined ? undefined : timeInWeek(options.until);
  if (options.until !== undefined && heldAt === undefined)
    throw usageError("--until must be a weekday and a time, such as 'Sat 18:40'.");
  const scenario =
    heldAt === undefined ? createScenario(days, seed) : createScenario(7, seed, startOfHeld(heldAt));
  const until = heldAt ?? new Date(scenario.start.getTime() + days * DAY_MS);
  writeFileSync(join(folder, "prices.csv"), pricesCsv(scenario));
  writeFileSync(join(folder, "weather.csv"), weatherCsv(scenario));
  const key = newKey();
  const password = randomBytes(9).toString("base64url");
  const clock = new PacedClock(scenario.start, speed);
  const devices = actuator === undefined ? undefined : new DemoDevices(() => clock.now());
  const actuators =
    actuator === undefined || devices === undefined ? [] : demoActuators(actuator, await devices.start());
  const { settings } = parse(
    stringify(demoSettings(scenario, { folder, speed, httpPort, mqttPort, key, password, actuators })),
  );
  const gateway = createGateway(settings, { clock, sampledLoads });
  const run = new DemoRun(scenario, seed);
  const history = run.history();
  let link: MqttHome | undefined;
  try {
    await gateway.start();
    const address = `http://localhost:${gateway.ports.http}`;
    await sendHistory(address, key, history);
    const broker = { url: `mqtt://127.0.0.1:${gateway.ports.mqtt}`, username: "demo-home", password: key };
    const home = new MqttHome({ ...broker, root: "hourgate/home", commands: devices?.commands });
    link = home;
    await home.start();
    if (actuator === "evcc-battery") await devices?.startEvcc(broker);
    terminal.out(`The demonstration runs at ${address}`);
    terminal.out(`Sign in as owner@localhost with the password ${password}`);
    terminal.out(`API key: ${key}, MQTT: localhost:${gateway.ports.mqtt}`);
    terminal.out(
      `A simulated home with 6 kWp PV, a 10 kWh battery, a wallbox and a boiler obeys ${actuator === undefined ? "the outputs" : `its actuators (battery: ${actuator})`}.`,
    );
    const pace = isHeld
      ? "The days pass as fast as this machine can."
      : `One day lasts ${describeSeconds(86_400 / speed)}.`;
    terminal.out(`${pace} Ctrl-C ends it and deletes its data.`);
    clock.allow(new Date(scenario.start.getTime() + stepMinutes * MINUTE_MS));
    await run.follow({
      link: home,
      until,
      stepMinutes,
      now: () => {
        devices?.expire();
        return clock.now();
      },
      pause: () => wait(PAUSE_MS, true, { signal: ended }).catch(() => false),
      // The next step begins when the gateway has taken the readings of this one.
      onStep: async (at) => {
        await home.answered();
        if (at < until)
          clock.allow(new Date(Math.min(at.getTime() + stepMinutes * MINUTE_MS, until.getTime())));
      },
      onDay: (day) => terminal.out(dayLine(day, devices)),
    });
    if (!ended.aborted && !options.exit) {
      terminal.out(`${summaryLine(run.summary)} · The clock stands still; ${address} stays until Ctrl-C.`);
      await new Promise((resolve) => ended.addEventListener("abort", resolve));
    } else terminal.out(summaryLine(run.summary));
  } finally {
    // The gateway leaves the devices to themselves at the end.
    await gateway.stop();
    clock.stop();
    await link?.stop();
    await devices?.stop();
  }
}

const eur = (ct: number) => `${(ct / 100).toFixed(2)} EUR`;

/** Sum of the days, with what battery, car and boiler hold more or less than without control. */
function summaryLine({ days, controlledCt, uncontrolledCt, storedCt }: DemoSummary): string {
  const savedCt = uncontrolledCt - controlledCt + storedCt;
  const stored = Math.abs(storedCt) < 1 ? "" : `, with ${eur(storedCt)} for energy that is stored`;
  const time = days === undefined ? "So far" : days === 1 ? "One day" : `${days} days`;
  return `${time}: ${eur(controlledCt)}, uncontrolled ${eur(uncontrolledCt)}: saved ${eur(savedCt)}${stored}`;
}

function dayLine(
  { day, controlledCt, uncontrolledCt, controlled, socPct, refused }: DayResult,
  devices: DemoDevices | undefined,
): string {
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
