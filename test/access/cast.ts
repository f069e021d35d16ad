import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { stringify } from "yaml";
import { openFoundation } from "../../src/app/foundation.js";
import { createGateway } from "../../src/app/gateway.js";
import { Running } from "../../src/app/running.js";
import { parse } from "../../src/config/load.js";
import type { Settings } from "../../src/config/settings.js";
import { silentLog } from "../../src/core/log.js";
import { recentPricesFile } from "../support/recorded-data.js";

/** Who is tried, in the order of the columns. All rows are about the site of `tenant`. */
export const ROLES = ["nobody", "other", "tenant", "partner", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** Address of the proxy that the gateway trusts; all others are strangers to it. */
export const PROXY = "127.0.0.9";

export const PASSWORD = "correct horse battery";
export const emailOf = (role: Role) => `${role}@example.org`;

/** An approval lets the tenant publish here. */
export const APPROVED_TOPIC = "meters/1";

export interface Cast {
  dataFolder: string;
  url: string;
  mqttUrl: string;
  /** API key of each role; none for nobody. */
  keys: Partial<Record<Role, string>>;
  /** First site of each role. */
  sites: Partial<Record<Role, string>>;
  /** Tokens of the tenant's controller links. */
  links: { read: string; telemetry: string; optimizer: string; revoked: string };
  /** Stops the gateway; the data folder stays. */
  halt(): Promise<void>;
  /** Starts it again on the same data, and stops it. */
  again(): Promise<void>;
  stop(): Promise<void>;
}

/** A running gateway with an account of each role: a tenant, another one, a partner with two sites, the administrator. */
export async function startCast(): Promise<Cast> {
  const folder = await mkdtemp(join(tmpdir(), "hourgate-access-"));
  const adminKey = `hg_live_${"a".repeat(43)}`;
  const { settings } = parse(
    stringify({
      data_dir: join(folder, "data"),
      http: { host: "127.0.0.1", port: 0, trust_proxy: [PROXY], base_path: "ingress" },
      clock: { start: "2026-01-15T09:00:00+01:00", speed: 0 },
      owner: { email: emailOf("admin"), password: PASSWORD, key: adminKey },
      market: { sources: [{ type: "file", path: recentPricesFile() }] },
      weather: { sources: [] },
      metrics: { enabled: true },
      quotas: { basic: { decision: 1e6 }, community: { decision: 1e6 } },
      mqtt: { broker: { host: "127.0.0.1", port: 0 } },
      node_red: { enabled: false },
      plants: [{ id: "home", ...plantOf("admin") }],
    }),
  );
  const members = await addMembers(settings);
  const gateway = createGateway(settings, { log: silentLog, sampledLoads: 2 });
  await gateway.start();
  return {
    dataFolder: settings.data_dir,
    url: `http://127.0.0.1:${gateway.ports.http}`,
    mqttUrl: `mqtt://127.0.0.1:${gateway.ports.mqtt}`,
    keys: { ...members.keys, admin: adminKey },
    sites: { ...members.sites, admin: "home" },
    links: members.links,
    halt: () => gateway.stop(),
    again: async () => {
      const next = createGateway(settings, { log: silentLog, sampledLoads: 2 });
      await next.start();
      await next.stop();
    },
    stop: async () => {
      await gateway.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The time zone of each role's plant: an answer in it is about that plant. Without a key it is Europe/Vienna. */
export const ZONES: Partial<Record<Role, string>> = {
  other: "Europe/Berlin",
  tenant: "Europe/Paris",
  partner: "Europe/Rome",
  admin: "Europe/Madrid",
};

/** A plant with all devices; the label of the slot names the role. */
function plantOf(role: Role) {
  return {
    timezone: ZONES[role],
    latitude: 48.2,
    longitude: 16.4,
    battery: { capacity_kwh: 10, max_charge_power_kw: 5, max_discharge_power_kw: 5 },
    pv: [{ peak_kw: 8, tilt_deg: 30, azimuth_deg: 180 }],
    slots: [{ slot: 3, kind: "boiler", power_kw: 2, energy_kwh: 4, label: `boiler of ${role}` }],
    // It has no template, so nothing is read.
    devices: [{ id: "meter", template: "none", name: `meter of ${role}` }],
  };
}

/** Adds the accounts to the data folder before the gateway starts on it. */
async function addMembers(settings: Settings): Promise<Pick<Cast, "keys" | "sites" | "links">> {
  const running = new Running(silentLog);
  const { registry, accountServices } = await openFoundation(settings, {
    running,
    baseUrl: () => "http://127.0.0.1",
    log: silentLog,
  });
  const { accountBook, links, mqttApprovals } = accountServices;
  const keys: Cast["keys"] = {};
  const sites: Cast["sites"] = {};
  for (const role of ["other", "tenant", "partner"] as const) {
    const made = await accountBook.create({ email: emailOf(role), password: PASSWORD, language: "en" });
    await registry.change(made.siteId, { plant: plantOf(role) });
    keys[role] = made.key;
    sites[role] = made.siteId;
    if (role !== "partner") continue;
    await accountBook.setPlan(made.id, "oem");
    await registry.add(made.id, { label: "second", customerRef: "" });
  }
  const tenant = sites.tenant!;
  const revoked = await links.create(tenant, { scope: "telemetry" });
  await links.revoke(revoked.id);
  const tokens = {
    read: (await links.create(tenant, { scope: "read" })).token,
    telemetry: (await links.create(tenant, { scope: "telemetry" })).token,
    optimizer: (await links.create(tenant, { scope: "optimizer" })).token,
    revoked: revoked.token,
  };
  await mqttApprovals.approve(tenant, APPROVED_TOPIC, { access: "publish" });
  await running.stop();
  return { keys, sites, links: tokens };
}

/**
 * Compares a table with what `ask` finds for each row and column. Columns are separated by two spaces or more; the first
 * line names them, the first column what is tried.
 */
export async function expectTable(
  table: string,
  ask: (what: string, column: string) => Promise<string>,
): Promise<void> {
  const [columns = [], ...rows] = table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/));
  const found = [];
  for (const [what = ""] of rows) {
    const cells = [what];
    for (const column of columns.slice(1)) cells.push(await ask(what, column));
    found.push(cells.join("  "));
  }
  expect(found).toEqual(rows.map((cells) => cells.join("  ")));
}

/** The first column of a table. */
export function triedIn(table: string): string[] {
  const rows = table.trim().split("\n").slice(1);
  return rows.map((line) => line.trim().split(/ {2,}/)[0]!);
}
