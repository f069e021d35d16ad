import type { DeviceSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import { siteLimits } from "../../config/site-limits.js";
import { type Bus, subscribe } from "../../core/bus.js";
import type { Sample } from "../../core/domain/sample.js";
import { errorMessage } from "../../core/error-message.js";
import type { HealthRegistry } from "../../core/health-registry.js";
import type { Log } from "../../core/log.js";
import type { Cancel, Clock } from "../../core/time/clock.js";
import { SerialQueue } from "../../core/work/serial-queue.js";
import { type ReadingLimits, readingLimits } from "../../telemetry/reading-limits.js";
import { ExpressionError } from "../expression.js";
import { ActuatorInputError, notThere } from "../input-error.js";
import type { ActuatorStatus } from "../status.js";
import type { ActuatorTemplate } from "../template.js";
import { unknownTemplate } from "../template-library.js";
import type { TransportSources } from "../transport/create.js";
import { balanceOf, type GivingDevice, SiteCombination, telemetryNames } from "./combine.js";
import { createReadPlan, type ReadPlan } from "./create-device.js";
import { isDark } from "./dark.js";
import { ReadDevice, type TakenReading } from "./device.js";
import { offeredEntities } from "./entity-list.js";
import { FrozenPowers } from "./frozen.js";
import { DEVICE_READINGS } from "./names.js";
import { offeredRoles, rolesAt } from "./offered-readings.js";
import { assignRoles } from "./roles.js";
import { readsNothing, unreadRoles } from "./settings-faults.js";
import { type DeviceView, deviceView, type HeldDevice } from "./view.js";

export interface ReadingServiceOptions extends TransportSources {
  clock: Clock;
  bus: Bus;
  components: Pick<HealthRegistry, "report" | "remove">;
  sites: { list(): readonly Site[]; get(id: string): Site | undefined };
  /** The templates, once they are read. */
  templates(): { get(id: string): ActuatorTemplate | undefined; ids(): string[] };
  telemetry: {
    ingest(siteId: string, samples: readonly Sample[], options: { thinSeconds: number }): Promise<unknown>;
  };
  /** The commands of a device that takes some. */
  commandOf(siteId: string, id: string): ActuatorStatus | undefined;
  log: Log;
}

/** The history keeps at most one sample per reading in this time, as of MQTT. */
const THIN_SECONDS = 10;

interface SiteDevices {
  /** The settings that the devices were made from. */
  settings: string;
  held: Map<string, HeldDevice>;
  frozen: FrozenPowers;
}

/** The devices of all sites that give readings: starts and stops them with the settings, and passes their readings on. */
export class ReadingService {
  readonly #options: ReadingServiceOptions;
  readonly #sites = new Map<string, SiteDevices>();
  readonly #queue = new SerialQueue();
  readonly #cancels: Cancel[] = [];

  constructor(options: ReadingServiceOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { bus, sites } = this.#options;
    this.#cancels.push(
      subscribe(bus, {
        "site.changed": (site) => void this.#queue.run(() => this.#apply(site)),
        "site.removed": ({ siteId }) => void this.#queue.run(() => this.#end(siteId)),
      }),
    );
    for (const site of sites.list()) await this.#queue.run(() => this.#apply(site));
  }

  async stop(): Promise<void> {
    for (const cancel of this.#cancels.splice(0)) cancel();
    await Promise.all([...this.#sites.keys()].map((siteId) => this.#end(siteId)));
  }

  /** Resolves when changed settings are applied. */
  settled(): Promise<void> {
    return this.#queue.idle();
  }

  list(siteId?: string): DeviceView[] {
    const now = this.#options.clock.now();
    return [...this.#sites]
      .filter(([id]) => siteId === undefined || id === siteId)
      .flatMap(([id, { held }]) =>
        [...held.values()].map((one) => deviceView(one, this.#options.commandOf(id, one.settings.id), now)),
      );
  }

  templateOf(id: string): ActuatorTemplate | undefined {
    return this.#options.templates().get(id);
  }

  /** What is wrong if another device is at the address of one; undefined: it is the right one, or not known. */
  wrongDevice(siteId: string, id: string): string | undefined {
    return this.#sites.get(siteId)?.held.get(id)?.device?.stranger?.message;
  }

  /** Reads a device now. Throws ActuatorInputError. */
  async read(siteId: string, id: string): Promise<DeviceView> {
    const held = this.#sites.get(siteId)?.held.get(id);
    if (held === undefined) throw notThere("device", id, { id: siteId, has: this.list(siteId) });
    await held.device?.read();
    return deviceView(held, this.#options.commandOf(siteId, id), this.#options.clock.now());
  }

  /** The sources for readings that a system such as Home Assistant lists. Throws ActuatorInputError, ExpressionError, DeviceError. */
  async entities(site: Site, settings: DeviceSettings) {
    return offeredEntities(this.#options, { site, settings, template: this.#known(settings) });
  }

  /** Reads a device that is not configured, once. Throws ActuatorInputError, ExpressionError. */
  async preview(site: Site, settings: DeviceSettings): Promise<DeviceView> {
    const template = this.#known(settings);
    const plan = this.#planOf(site, settings, template, settings.reads ?? undefined);
    const held = this.#held(site, settings, template, plan.reads);
    // Whichever device it is.
    const device = this.#device(site, { ...settings, serial: null }, plan.plan, () => {});
    try {
      plan.plan.channels.start();
      await device.read();
      // What a device sends by itself comes after a moment.
      if (device.readAt === undefined && device.lastError === undefined) {
        await new Promise((resolve) =>
          this.#options.clock.at(new Date(this.#options.clock.now().getTime() + 1_500), () =>
            resolve(undefined),
          ),
        );
        await device.read();
      }
      return deviceView(
        { ...held, device, address: plan.plan.address },
        undefined,
        this.#options.clock.now(),
      );
    } finally {
      await device.stop();
    }
  }

  async #end(siteId: string): Promise<void> {
    const held = [...(this.#sites.get(siteId)?.held.values() ?? [])];
    this.#sites.delete(siteId);
    await Promise.all(held.map(({ device }) => device?.stop()));
    for (const { settings } of held) this.#options.components.remove(componentName(siteId, settings.id));
  }

  /** Starts, replaces and ends the devices of a site by its settings. */
  async #apply(site: Site): Promise<void> {
    const { devices, battery, batteries, pv, latitude, longitude } = site.plant;
    const settings = JSON.stringify([
      devices,
      battery !== null || batteries.length > 0,
      pv.length > 0,
      latitude,
      longitude,
    ]);
    if (this.#sites.get(site.id)?.settings === settings) return;
    await this.#end(site.id);
    const offering = devices.map((one) => {
      const template = this.#options.templates().get(one.template);
      return {
        settings: one,
        offers: template === undefined ? [] : rolesAt(site.plant, template, one.with),
      };
    });
    const roles = assignRoles(offering);
    const held = new Map<string, HeldDevice>();
    this.#sites.set(site.id, { settings, held, frozen: new FrozenPowers() });
    const giving: GivingDevice[] = devices.map(({ id, fallback, poll_s }) => ({
      id,
      reads: roles.get(id)!.reads,
      isFallback: fallback,
      pollMs: poll_s * 1000,
    }));
    const combination = new SiteCombination(giving, balanceOf(site.plant, giving));
    for (const [index, one] of devices.entries()) {
      const { reads, unknown } = roles.get(one.id)!;
      const made = this.#create(site, one, { reads, unknown }, (taken) =>
        this.#pass(site.id, combination.take(giving[index]!, taken)),
      );
      held.set(one.id, made);
      this.#report(site.id, one.id);
    }
    for (const { device } of held.values()) device?.start();
  }

  #create(
    site: Site,
    settings: DeviceSettings,
    { reads, unknown }: { reads: string[]; unknown: string[] },
    pass: (taken: ReadonlyMap<string, TakenReading>) => void,
  ): HeldDevice {
    try {
      const template = this.#known(settings);
      const held = this.#held(site, settings, template, reads);
      if (unknown.length > 0) {
        // What it does read is read all the same.
        const { message } = unreadRoles(template, settings, unknown);
        held.fault = { state: "misconfigured", message, at: this.#options.clock.now() };
        this.#options.log.warn({ site: site.id }, `The device "${settings.id}": ${message}`);
      }
      const { plan } = this.#planOf(site, settings, template, reads);
      held.address = plan.address;
      if (plan.readings.size === 0) {
        void plan.channels.stop();
        held.reads = [];
        if (settings.controls === null && held.fault === undefined) throw readsNothing(template);
        return held;
      }
      held.device = this.#device(site, settings, plan, (taken) => {
        pass(taken);
        this.#report(site.id, settings.id);
      });
      return held;
    } catch (error) {
      if (!(error instanceof ActuatorInputError || error instanceof ExpressionError)) throw error;
      const message = errorMessage(error);
      this.#options.log.warn({ site: site.id }, `The device "${settings.id}" cannot be used: ${message}`);
      const at = this.#options.clock.now();
      return {
        ...this.#held(site, settings, this.#options.templates().get(settings.template), reads),
        fault: { state: "misconfigured", message, at },
      };
    }
  }

  #known({ template }: DeviceSettings): ActuatorTemplate {
    const found = this.#options.templates().get(template);
    if (found === undefined) throw unknownTemplate(template, this.#options.templates().ids());
    return found;
  }

  #held(
    site: Site,
    settings: DeviceSettings,
    template: ActuatorTemplate | undefined,
    reads: readonly string[],
  ): HeldDevice {
    return {
      siteId: site.id,
      settings,
      templateName: template?.name.en ?? settings.template,
      isExperimental: template?.experimental ?? false,
      address: "",
      reads,
      device: undefined,
      fault: undefined,
    };
  }

  #planOf(
    site: Site,
    settings: DeviceSettings,
    template: ActuatorTemplate,
    reads: readonly string[] | undefined,
  ) {
    const now = () => this.#options.clock.now().getTime();
    const plan = createReadPlan(this.#options, { site, settings, template, ...(reads && { reads }), now });
    return { plan, reads: reads ?? offeredRoles(template, { given: settings.with }) };
  }

  #device(
    site: Site,
    settings: DeviceSettings,
    plan: ReadPlan,
    onPolled: (taken: ReadonlyMap<string, TakenReading>) => void,
  ): ReadDevice {
    const { clock, log } = this.#options;
    return new ReadDevice({
      ...plan,
      id: settings.id,
      serial: settings.serial,
      pollMs: settings.poll_s * 1000,
      clock,
      isDark: (at) => isDark(this.#options.sites.get(site.id)?.plant ?? site.plant, at),
      limits: (name) => this.#addressLimits(site, settings, name),
      frozenSince: (name, value, at) =>
        this.#sites.get(site.id)?.frozen.take({ device: settings.id, name, value, at }),
      onPolled,
      log,
    });
  }

  #addressLimits(site: Site, { reads, controls }: DeviceSettings, name: string): ReadingLimits | undefined {
    const { plant } = this.#options.sites.get(site.id) ?? site;
    if (DEVICE_READINGS[name]?.isCounter === true && telemetryNames(name, ["grid"]).length === 0)
      return { kind: "counter", mostKw: siteLimits(plant).connectionKw };
    const roles = [
      ...(reads ?? []),
      ...(controls === null ? [] : [controls]),
      "grid",
      "pv",
      "battery",
      "load",
    ];
    const [reading] = telemetryNames(name, roles);
    return reading === undefined ? undefined : readingLimits(plant).get(reading);
  }

  #pass(siteId: string, samples: readonly Sample[]): void {
    if (samples.length === 0 || this.#options.sites.get(siteId) === undefined) return;
    const { telemetry, log } = this.#options;
    telemetry
      .ingest(siteId, samples, { thinSeconds: THIN_SECONDS })
      .catch((error: unknown) =>
        log.error({ err: error, site: siteId }, "Readings of devices could not be stored."),
      );
  }

  #report(siteId: string, id: string): void {
    const held = this.#sites.get(siteId)?.held.get(id);
    if (held === undefined) return;
    const { state, reason, notes } = deviceView(held, undefined, this.#options.clock.now());
    this.#options.components.report(
      componentName(siteId, id),
      ["ok", "waiting", "sleeping"].includes(state) ? "ok" : "degraded",
      [{ code: "device_state", state }, ...[reason ?? [], ...notes].flat().map(faultOf)],
      { siteId },
    );
    this.#options.bus.emit("device.read", { siteId, id });
  }
}

function faultOf(message: string) {
  return { code: "device_fault" as const, message };
}

function componentName(siteId: string, id: string): string {
  return `device/${siteId}/${id}`;
}
