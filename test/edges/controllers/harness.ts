import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { Links } from "../../../src/accounts/links.js";
import { createGateway, type Gateway } from "../../../src/app/gateway.js";
import { parse } from "../../../src/config/load.js";
import { type Log, silentLog } from "../../../src/core/log.js";
import { VIENNA } from "../../../src/core/time/zone.js";
import { openStore } from "../../../src/store/store.js";
import { manualClock } from "../../support/manual-clock.js";
import { QUARTER_HOURLY_PRICES, recordedFile } from "../../support/recorded-data.js";

/** Thursday 2026-01-15, 09:20:12 in Vienna: the fixed time of the gateway's clock. */
export const NOW = new Date("2026-01-15T08:20:12Z");
export const KEY = `hg_live_${"c".repeat(43)}`;

const PRICES = recordedFile(QUARTER_HOURLY_PRICES);

/** Spot 8 ct/kWh gives (8 + 1.5 + 7.9) * 1.2 = 20.88 ct/kWh. */
export const TARIFF = { markup_ct_kwh: 1.5, grid_fee_ct_kwh: 7.9, vat_pct: 20 };

const PLANT = {
  id: "home",
  name: "Home",
  timezone: VIENNA,
  latitude: 48.2,
  longitude: 14.2,
  tariff: TARIFF,
  battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 4 },
  pv: [{ peak_kw: 8, tilt_deg: 30, azimuth_deg: 180 }],
  slots: [{ slot: 3, kind: "wallbox", label: "Wallbox", power_kw: 11 }],
};

export interface Controlled {
  url: string;
  port: number;
  folder: string;
  /** Tokens of links: read and write, read-only, for the optimizer, revoked. */
  tokens: { telemetry: string; read: string; optimizer: string; revoked: string };
  gateway: Gateway;
  stop(): Promise<void>;
}

/** A complete gateway in this process with recorded quarter-hour prices on free ports. */
export async function startControlled(log: Log = silentLog): Promise<Controlled> {
  const folder = await mkdtemp(join(tmpdir(), "hourgate-controllers-"));
  const { settings } = parse(
    stringify({
      data_dir: join(folder, "data"),
      http: { host: "127.0.0.1", port: 0 },
      clock: { start: NOW.toISOString(), speed: 0 },
      owner: { key: KEY, password: "a password for tests" },
      market: { resolution_minutes: 15, sources: [{ type: "file", path: PRICES }] },
      weather: { sources: [] },
      mqtt: { broker: { enabled: false } },
      node_red: { enabled: false },
      plants: [PLANT],
    }),
  );
  const tokens = await makeLinks(settings.data_dir);
  const gateway = createGateway(settings, { log, sampledLoads: 2 });
  await gateway.start();
  const port = gateway.ports.http!;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    folder,
    tokens,
    gateway,
    stop: async () => {
      await gateway.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function makeLinks(dataFolder: string): Promise<Controlled["tokens"]> {
  const store = await openStore(dataFolder, silentLog);
  const site = { id: "home", accountId: "owner", plant: {} as never };
  const links = new Links({
    state: store.state,
    clock: manualClock(NOW),
    sites: { list: () => [site], get: (id) => (id === "home" ? site : undefined) },
  });
  const telemetry = (await links.create("home", { scope: "telemetry" })).token;
  const read = (await links.create("home", { scope: "read" })).token;
  const optimizer = (await links.create("home", { scope: "optimizer" })).token;
  const revoked = await links.create("home", { scope: "telemetry" });
  await links.revoke(revoked.id);
  await store.close();
  return { telemetry, read, optimizer, revoked: revoked.token };
}

/** Sends the bytes; returns the response up to the end of the connection. */
export function raw(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    let text = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      text += chunk;
    });
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
}

/** The fields of a line, split at semicolons. */
export function fieldsOf(line: string): Record<string, string> {
  const [first, ...fields] = line.trimEnd().split(";");
  if (first !== "HG") throw new Error(`The line does not begin with HG: ${line}`);
  return Object.fromEntries(fields.map((field) => field.split("=") as [string, string]));
}
