import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { connectAsync } from "mqtt";
import { COMMAND, call, sandbox, startGateway, TEST_KEY } from "../e2e/gateway-process.js";
import { processFigures } from "../soak/process-figures.js";
import { seeded } from "../support/random.js";
import { runFloods } from "./floods/run-floods.js";
import { httpCase, malformedHttp, routesOf } from "./http-cases.js";
import { malformedMqtt, mqttCase } from "./mqtt-cases.js";
import { filledIn, PAGES, pageToRead } from "./portal-cases.js";
import { formsIn, type PortalAnswer, type PortalForm, PortalVisitor } from "./portal-visitor.js";
import { ask, sendRaw, TIMEOUT_MS } from "./send.js";

/**
 * Sends random and malformed requests to a real gateway by HTTP, MQTT and as a signed-in browser for a few minutes
 * (`--minutes N`, `--seed N`). The run fails if a response has status 5xx, a request hangs, memory exceeds its limit, or the
 * gateway does not work normally at the end.
 */
const argument = (name: string, defaultValue: number) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? defaultValue : Number(process.argv[at + 1]);
};
const minutes = argument("--minutes", 3);
const seed = argument("--seed", Date.now() % 1_000_000);
const HTTP_LANES = 4;
/** Allows for full caches. */
const MEMORY_LIMIT_MB = 700;

const OWNER = { email: "owner@example.org", password: "correct horse battery" };
/** An account whose settings the run may change in any way. */
const GUEST = { email: "guest@example.org", password: "correct horse battery" };

const unlimited = { decision: 1e9, telemetry: 1e9, pv: 1e9, weather: 1e9 };
const box = sandbox({
  clock: { start: "2026-01-15T12:00:00+01:00", speed: 1 },
  market: { sources: [] },
  weather: { sources: [] },
  metrics: { enabled: true },
  owner: { ...OWNER, key: TEST_KEY },
  quotas: { basic: { decision: 1e9 }, professional: unlimited },
  plants: [
    {
      id: "home",
      timezone: "Europe/Vienna",
      latitude: 48.2,
      longitude: 16.4,
      battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
      pv: [{ peak_kw: 5, tilt_deg: 30, azimuth_deg: 180 }],
      slots: [1, 2, 3].map((slot) => ({ slot, kind: "wallbox", power_kw: 11 })),
    },
  ],
  mqtt: { telemetry: [{ topic: "meter/+/b", path: "value", field: "soc_pct" }] },
});
const gateway = await startGateway(box.config);
const httpPort = Number(new URL(gateway.http).port);
const pid = Number(/"pid":(\d+)/.exec(gateway.output())?.[1]);
const hourgate = async (...given: string[]): Promise<string> => {
  const running = promisify(execFile)(process.execPath, [COMMAND, ...given, "--config", box.config]);
  if (given.includes("--password-stdin")) running.child.stdin?.end(`${GUEST.password}\n`);
  return (await running).stdout;
};
const made = await hourgate("link", "create", "--site", "home", "--scope", "telemetry");
const token = /\/c\/([\w-]+)/.exec(made)?.[1] ?? "";
if (token === "") throw new Error(`The controller link could not be created: ${made}`);
await hourgate("account", "create", GUEST.email, "--password-stdin", "--confirmed");
await hourgate("plan", "set", GUEST.email, "professional");
const routes = routesOf((await call(gateway, "/openapi.json")).json);

const counts = new Map<string, number>();
const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
const failures: string[] = [];
const fail = (what: string) => {
  if (failures.push(what) <= 20) console.log(`FAILED: ${what.slice(0, 1500)}`);
};
const began = performance.now();
const isOver = () => performance.now() - began > minutes * 60_000 || failures.length > 100;
let slowestMs = 0;
let slowest = "";

async function httpLane(lane: number): Promise<void> {
  const random = seeded(1000 * seed + lane);
  for (let index = 0; !isOver(); index++) {
    const one = httpCase(random, routes, { key: TEST_KEY, token });
    const what = `seed ${seed} lane ${lane} request ${index}: ${one.method} ${one.path} ${JSON.stringify(one.headers)} ${one.body ?? ""}`;
    try {
      const { status, text, ms } = await ask(httpPort, one);
      count(`HTTP ${status}`);
      if (ms > slowestMs) [slowestMs, slowest] = [ms, what];
      if (status >= 500) fail(`Answered ${status}: ${text.slice(0, 300)}: ${what}`);
      if (/node_modules|\bat .*\.(js|ts):\d/.test(text))
        fail(`Reveals internals: ${text.slice(0, 500)}: ${what}`);
    } catch (error) {
      // Rejected by the HTTP client: invalid URL or header.
      if (/ERR_(INVALID|UNESCAPED)/.test((error as { code?: string }).code ?? "")) count("HTTP not sent");
      else fail(`${(error as Error).message}: ${what}`);
    }
  }
}

/** A signed-in browser: requests pages and submits their forms with their tokens. */
async function portalLane(
  lane: number,
  visitor: PortalVisitor,
  { pages, mayBeSent }: { pages: readonly string[]; mayBeSent: (form: PortalForm) => boolean },
): Promise<void> {
  const random = seeded(1000 * seed + 300 + lane);
  await visitor.signIn();
  for (let index = 0; !isOver(); index++) {
    const where = `seed ${seed} portal ${lane} step ${index}`;
    let what = where;
    try {
      const path = random.chance(0.4) ? pageToRead(random) : random.pick(pages);
      what = `${where}: GET ${path}`;
      const page = await visitor.get(path);
      if (page.location?.startsWith("/login") === true) {
        count("portal sign-ins");
        await visitor.signIn();
        continue;
      }
      checkPage("GET", page, what);
      const forms = formsIn(page.text).filter(mayBeSent);
      if (page.status !== 200 || forms.length === 0) continue;
      const form = random.pick(forms);
      const body = filledIn(random, form).replaceAll(encodeURIComponent(OWNER.email), GUEST.email);
      const type = random.chance(0.02) ? random.pick(["application/json", "text/plain", ";"]) : undefined;
      what = `${where}: POST ${form.action} ${body.slice(0, 3000)}`;
      checkPage("POST", await visitor.post(form.action, body, type), what);
    } catch (error) {
      fail(`${(error as Error).message}: ${what}`);
    }
  }
}

function checkPage(method: string, { status, text, ms }: PortalAnswer, what: string): void {
  count(`portal ${method} ${status}`);
  if (ms > slowestMs) [slowestMs, slowest] = [ms, what];
  // A failed webhook delivery is shown in the page and must not cause a 5xx status.
  if (status >= 500) fail(`Answered ${status}: ${what}`);
  if (/node_modules|\bat .*\.(js|ts):\d/.test(text)) fail(`Reveals internals: ${what}`);
  if (/<script>(?!\n)|<[a-z]+ [^>]*\bon\w+=/.test(text)) fail(`Contains injected markup: ${what}`);
}

async function rawLane(): Promise<void> {
  const random = seeded(1000 * seed + 100);
  for (let index = 0; !isOver(); index++) {
    const isHttp = random.chance(0.5);
    const bytes = isHttp
      ? malformedHttp(random, httpCase(random, routes, { key: TEST_KEY, token }))
      : malformedMqtt(random, TEST_KEY);
    const what = `seed ${seed} raw ${index} to ${isHttp ? "HTTP" : "MQTT"}: ${bytes.toString("base64").slice(0, 600)}`;
    try {
      const answer = await sendRaw(isHttp ? httpPort : gateway.mqttPort, bytes);
      const statuses = isHttp
        ? [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, text]) => Number(text))
        : [];
      for (const status of statuses) {
        count(`raw HTTP ${status}`);
        if (status >= 500) fail(`Answered ${answer.slice(0, 500)}: ${what}`);
      }
      if (!isHttp) count("raw MQTT connections");
    } catch (error) {
      fail(`${(error as Error).message}: ${what}`);
    }
  }
}

/** Reason code of PUBACK and PUBREC. */
const NOT_AUTHORISED = 135;

async function mqttLane(): Promise<void> {
  const random = seeded(1000 * seed + 200);
  const client = await connectAsync(`mqtt://127.0.0.1:${gateway.mqttPort}`, {
    username: "fuzz",
    password: TEST_KEY,
    protocolVersion: seed % 2 === 0 ? 4 : 5,
    reconnectPeriod: 0,
  });
  let onMark = (_id: unknown) => {};
  client.on("error", () => {});
  client.on("close", () => isOver() || fail(`seed ${seed}: the MQTT client was disconnected`));
  client.on("message", (topic, payload) => {
    count(topic.includes("/response/") ? "MQTT responses" : "MQTT messages");
    if (topic === "hourgate/home/ack") onMark(JSON.parse(payload.toString()).id);
    else if (/"internal_error"|"storage_unavailable"/.test(payload.toString()))
      fail(`seed ${seed} ${topic}: ${payload}`);
  });
  await client.subscribeAsync(["hourgate/home/ack", "hourgate/home/response/#"], { qos: 1 });
  for (let index = 0; !isOver(); index++) {
    const burst = Array.from({ length: 50 }, () => mqttCase(random));
    await Promise.all(
      burst.map(({ topic, payload, qos, retain }) =>
        client.publishAsync(topic, payload, { qos, retain }).catch(({ code }: { code?: unknown }) => {
          // MQTT 5 says so where the key has no right.
          if (code !== NOT_AUTHORISED)
            fail(`seed ${seed} MQTT burst ${index}: ${topic} is refused with ${code}`);
          count("MQTT publishes without a right");
        }),
      ),
    );
    // Acknowledgements are sent in order: this one means that the whole burst has been processed.
    const mark = `burst-${index}`;
    const answered = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("no acknowledgement before the timeout")), TIMEOUT_MS);
      onMark = (id) => {
        if (id !== mark) return;
        clearTimeout(timer);
        resolve();
      };
    });
    await client.publishAsync("hourgate/home/telemetry", JSON.stringify({ soc_pct: 50, id: mark }), {
      qos: 1,
    });
    await answered.catch((error: Error) => fail(`seed ${seed} MQTT burst ${index}: ${error.message}`));
    count("MQTT bursts of 50");
  }
  client.removeAllListeners("close");
  await client.endAsync(true);
}

const start = processFigures(pid);
const middle: number[] = [];
const memory = setInterval(() => middle.push(processFigures(pid).rssMb), 5_000);
/** Forms that would break the run: signing out and changing the password. */
const EXCLUDED = /^\/(login|logout)|password/;
const ofGuest = (form: PortalForm) => !EXCLUDED.test(form.action);
const ofOwner = ({ action }: PortalForm) => action.startsWith("/admin");
const lanes = [
  ...Array.from({ length: HTTP_LANES }, (_, lane) => httpLane(lane)),
  portalLane(0, new PortalVisitor(httpPort, GUEST), { pages: PAGES, mayBeSent: ofGuest }),
  portalLane(1, new PortalVisitor(httpPort, OWNER), { pages: ["/admin"], mayBeSent: ofOwner }),
  rawLane(),
  mqttLane(),
];
for (const { reason } of (await Promise.allSettled(lanes)).filter((lane) => lane.status === "rejected"))
  fail(reason instanceof Error ? (reason.stack ?? reason.message) : String(reason));
clearInterval(memory);

const health = await call(gateway, "/health", { key: null }).catch((error: Error) => ({
  status: 0,
  text: error.message,
}));
if (health.status !== 200) fail(`/health responds with ${health.status} ${health.text} at the end`);
const plan = await call(gateway, "/v1/decision/hours-demand", { body: { battery: { soc_pct: 50 } } }).catch(
  () => undefined,
);
if (plan?.json.schema !== "hours_demand_v1.11")
  fail(`There is no plan at the end: ${plan?.text.slice(0, 500)}`);
const end = processFigures(pid);
if (end.peakRssMb > MEMORY_LIMIT_MB) fail(`The gateway used up to ${end.peakRssMb.toFixed(0)} MB`);
const errorLines = gateway
  .output()
  .split("\n")
  .filter((line) => /"level":[56]0/.test(line));
for (const line of new Set(errorLines.slice(0, 5))) fail(`In the log: ${line}`);
const code = await gateway.end("SIGTERM");
if (code !== 0) fail(`The gateway exited with code ${code}`);
box.remove();
for (const finding of await runFloods()) fail(finding);

console.log(`seed ${seed}, ${minutes} minutes`);
for (const [what, times] of [...counts].sort()) console.log(`${what}: ${times}`);
console.log(`slowest response ${slowestMs.toFixed(0)} ms: ${slowest.slice(0, 300)}`);
console.log(
  `memory ${start.rssMb.toFixed(0)} MB at the start, ${middle.map((mb) => mb.toFixed(0)).join(" ")}, peak ${end.peakRssMb.toFixed(0)} MB`,
);
console.log(`open files ${start.openFiles} at the start, ${end.openFiles} at the end`);
console.log(
  failures.length === 0 ? "The fuzz test passed." : `The fuzz test FAILED: ${failures.length} findings.`,
);
process.exit(failures.length === 0 ? 0 : 1);
