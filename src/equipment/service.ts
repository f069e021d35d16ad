import { actuatorSettingsOf } from "../config/commanded-devices.js";
import type { ActuatorSettings } from "../config/settings.js";
import type { Site } from "../config/site.js";
import { type Bus, subscribe } from "../core/bus.js";
import { MINUTE_MS } from "../core/domain/interval.js";
import { errorMessage } from "../core/error-message.js";
import type { HealthRegistry } from "../core/health-registry.js";
import { type Cancel, onEach } from "../core/time/clock.js";
import { SerialQueue } from "../core/work/serial-queue.js";
import type { Actuator } from "./actuator.js";
import { commandedName } from "./commanded-name.js";
import { configuredDevice, hostsOfSettings } from "./configured-device.js";
import { type ActuatorSources, createActuator, forgetSwitches, ledgerName } from "./create-actuator.js";
import { DETECTION_FILTERS, type DetectedDevice, DeviceDetection, withoutActuator } from "./detection.js";
import type { ActuatorLogEntry } from "./event-log.js";
import { ExpressionError } from "./expression.js";
import { actuatorComponentName, type Held, HeldActuators, heldStatus, keyOf } from "./held-actuators.js";
import { ActuatorInputError, notThere } from "./input-error.js";
import { parametersOf } from "./parameters.js";
import type { DeviceReading } from "./reader.js";
import { addressLimits } from "./released-hosts.js";
import { addressFaults, type SettingsFault } from "./settings-check.js";
import type { ActuatorState } from "./states.js";
import type { ActuatorStatus } from "./status.js";
import { actuatorComponent, obstacleOf } from "./status-component.js";
import type { ActuatorTemplate } from "./template.js";
import { type TemplateLibrary, unknownTemplate } from "./template-library.js";
import { type Outcome, ratedPowerKw, type TestOptions } from "./test-run.js";

export interface ActuatorServiceOptions extends ActuatorSources {
  bus: Bus;
  components: HealthRegistry;
  sites: { list(): readonly Site[]; get(id: string): Site | undefined };
  templates: TemplateLibrary;
  /** Calls `onTopic` with the topics on the gateway's broker that match. */
  watch(filters: readonly string[], onTopic: (topic: string) => void): Cancel;
  /** Of several gateways with one installation id only one commands; `isTakeOver`: until now it was another one. */
  commander: {
    readonly isCommanding: boolean;
    onChange(listener: (change: { isTakeOver: boolean }) => void): Cancel;
  };
}

/** The actuators of all sites: starts and stops them with the settings, and shows their state. */
export class ActuatorService {
  readonly #options: ActuatorServiceOptions;
  readonly #held: HeldActuators;
  readonly #queue = new SerialQueue();
  readonly #cancels: Cancel[] = [];
  readonly #detection = new DeviceDetection();
  readonly #library: TemplateLibrary;
  /** The clock at the last minute, or at the start. */
  #minuteMs = -Infinity;

  constructor(options: ActuatorServiceOptions) {
    this.#options = options;
    this.#library = options.templates;
    this.#held = new HeldActuators(options.isUnrestricted);
  }

  async start(): Promise<void> {
    const { bus, clock, sites } = this.#options;
    this.#minuteMs = clock.now().getTime();
    const one = ({ siteId }: { siteId: string }) => this.#update(siteId);
    this.#cancels.push(
      this.#options.commander.onChange((change) => {
        void this.#queue.run(() => this.#beginAnew(change)).catch(() => {});
      }),
      this.#options.watch(DETECTION_FILTERS, (topic) => this.#detection.saw(topic)),
      subscribe(bus, {
        "site.changed": (site) => void this.#queue.run(() => this.#apply(site)).catch(() => {}),
        "site.removed": ({ siteId }) => void this.#queue.run(() => this.#remove(siteId)).catch(() => {}),
        "plan.updated": one,
        "slots.updated": one,
      }),
      onEach(clock, MINUTE_MS, (at) => this.#onMinute(at.getTime())),
    );
    for (const site of sites.list()) await this.#queue.run(() => this.#apply(site));
  }

  /** Leaves all devices to themselves, within two seconds. */
  async stop(): Promise<void> {
    for (const cancel of this.#cancels.splice(0)) cancel();
    await Promise.all([...this.#held.values()].map(({ actuator }) => actuator?.stop()));
    this.#held.clear();
  }

  templates(): Pick<TemplateLibrary, "get" | "ids" | "readAll"> {
    return this.#library;
  }

  /** The templates that a site may use: all for an administrator, otherwise the released ones. */
  templatesOf(siteId: string): ActuatorTemplate[] {
    const { isUnrestricted, settings } = this.#options;
    const all = this.#library.all();
    return isUnrestricted(siteId) ? all : all.filter(({ id }) => settings.tenant_templates.includes(id));
  }

  /** What is wrong with settings that are not stored yet; empty if they can be used. */
  faultsOf(site: Site, settings: ActuatorSettings): SettingsFault[] {
    const template = this.#library.get(settings.template);
    const fault = (code: SettingsFault["code"], name: string, message: string) => [{ code, name, message }];
    if (template === undefined) return fault("template", settings.template, "There is no such template.");
    if (!this.templatesOf(site.id).includes(template))
      return fault("released", template.id, "The administrator has not released this template.");
    const { transport, faults } = parametersOf(template, settings.with);
    if (faults.length > 0)
      return faults.map(({ name, message }) => ({ code: "parameter", name, message: `${name} ${message}` }));
    try {
      const { device, targets } = configuredDevice(site, settings, template, this.#options);
      const limits = addressLimits(this.#options, site.id);
      const addresses = addressFaults(device, template, transport, settings.with, limits);
      if (addresses.length > 0) return addresses;
      const other = this.#held
        .others(site.id, settings.id, targets)
        .find((one) => !this.#held.yields(one, site.id));
      if (other === undefined) return [];
      const message = `${this.#held.nameOf(other, site.id)} already controls this device.`;
      return fault("conflict", this.#held.isShown(other, site.id) ? other.name : "", message);
    } catch (error) {
      if (!(error instanceof ActuatorInputError || error instanceof ExpressionError)) throw error;
      return fault("controls", settings.controls, errorMessage(error));
    }
  }

  /** Devices seen on the gateway's broker that no actuator drives yet; none for a site that may not use the broker. */
  detected(site: Site): DetectedDevice[] {
    if (!this.#options.isUnrestricted(site.id)) return [];
    const used = this.#options.sites.list().flatMap(({ plant }) => plant.devices);
    const devices = this.#detection.list().filter(({ template }) => this.#library.has(template));
    return withoutActuator(devices, used);
  }

  /** Whether settings lead to a host that the stored ones of the actuator do not: secrets belong to a host. */
  changesHost(site: Site, before: ActuatorSettings, after: ActuatorSettings): boolean {
    const template = this.#library.get(after.template);
    if (template === undefined) return false;
    const known = hostsOfSettings(site, before, template, this.#options);
    return hostsOfSettings(site, after, template, this.#options).some((host) => !known.includes(host));
  }

  /** Resolves when changed settings are applied. */
  settled(): Promise<void> {
    return this.#queue.idle();
  }

  list(siteId?: string): ActuatorStatus[] {
    return [...this.#held.values()]
      .filter(({ status }) => siteId === undefined || status.siteId === siteId)
      .map((held) => heldStatus(held));
  }

  /** The last 100 events of an actuator, newest last. Throws ActuatorInputError. */
  log(siteId: string, id: string): readonly ActuatorLogEntry[] {
    return this.#of(siteId, id).actuator?.entries() ?? [];
  }

  /**
   * Sends a state now, also in dry run, and keeps it for a minute; without a power with that of the device's settings.
   * Throws ActuatorInputError, DeviceError.
   */
  async test(siteId: string, id: string, state: string, options: TestOptions): Promise<Outcome> {
    const held = this.#of(siteId, id);
    if (held.actuator === undefined) throw new ActuatorInputError(held.fault?.message ?? "It does not run.");
    if (!(held.status.states as readonly string[]).includes(state))
      throw new ActuatorInputError(`The state must be one of ${held.status.states.join(", ")}.`);
    const { powerKw = this.ratedKw(siteId, id), signal } = options;
    return held.actuator.test(state as ActuatorState, powerKw, signal);
  }

  /** The power of the device in its settings, kW. Throws ActuatorInputError. */
  ratedKw(siteId: string, id: string): number {
    const { controls } = this.#of(siteId, id).settings;
    return ratedPowerKw(this.#options.sites.get(siteId), controls);
  }

  /** The power that the device takes when it is asked for one, kW; that one where the actuator does not run. */
  takenKw(siteId: string, id: string, askedKw: number): number {
    return this.#held.get(keyOf(siteId, id))?.device?.takenKw(askedKw) ?? askedKw;
  }

  /** Reads the device now. Throws ActuatorInputError, DeviceError. */
  async read(siteId: string, id: string): Promise<DeviceReading> {
    return this.#running(siteId, id).read();
  }

  /** Throws ActuatorInputError, StoreError. */
  async setEnabled(siteId: string, id: string, enabled: boolean): Promise<void> {
    await this.#running(siteId, id).setEnabled(enabled);
  }

  /** Ends the time in which a device is left to somebody else. Throws ActuatorInputError, StoreError. */
  async takeOver(siteId: string, id: string): Promise<void> {
    await this.#running(siteId, id).takeOver();
  }

  /** Throws ActuatorInputError, StoreError. */
  async setDryRun(siteId: string, id: string, dryRun: boolean): Promise<void> {
    await this.#running(siteId, id).setDryRun(dryRun);
  }

  #of(siteId: string, id: string): Held {
    const held = this.#held.get(keyOf(siteId, id));
    if (held === undefined) throw notThere("actuator", id, { id: siteId, has: this.list(siteId) });
    return held;
  }

  #running(siteId: string, id: string): Actuator {
    const { actuator, fault } = this.#of(siteId, id);
    if (actuator === undefined) throw new ActuatorInputError(fault?.message ?? "It does not run.");
    return actuator;
  }

  #update(siteId?: string): void {
    for (const { status, actuator } of this.#held.values())
      if (siteId === undefined || status.siteId === siteId) actuator?.update();
  }

  async #remove(siteId: string): Promise<void> {
    const held = [...this.#held].filter(([, { status }]) => status.siteId === siteId);
    await Promise.all(held.map(([key]) => this.#end(key)));
    for (const [, { status }] of held) await this.#options.documents.put(ledgerName(siteId, status.id), null);
  }

  #onMinute(nowMs: number): void {
    const isSetBack = nowMs < this.#minuteMs;
    this.#minuteMs = nowMs;
    // What actuators wait for may be years ahead then.
    if (isSetBack) void this.#queue.run(() => this.#beginAnew()).catch(() => {});
    else this.#update();
  }

  /** Leaves the devices as they are, to another gateway or to actuators that begin with the ledger; `isTakeOver`: from another gateway. */
  async #beginAnew({ isTakeOver = false } = {}): Promise<void> {
    await Promise.all(
      [...this.#held.values()].map(({ actuator }) => actuator?.stop({ leavesDevice: false })),
    );
    this.#held.clear();
    for (const site of this.#options.sites.list()) await this.#apply(site, { isTakeOver });
  }

  async #end(key: string, isRemoved = false): Promise<void> {
    const held = this.#held.get(key);
    if (held === undefined) return;
    await held.actuator?.stop();
    this.#held.delete(key);
    const { siteId, id } = held.status;
    if (isRemoved) await forgetSwitches(this.#options, siteId, id);
    this.#options.components.remove(actuatorComponentName(siteId, id));
    const { controls } = held.status;
    this.#options.bus.emit("actuator.changed", { siteId, id, controls, obstacle: undefined });
  }

  /** Starts, replaces and ends the actuators of a site by its settings. */
  async #apply(site: Site, { isTakeOver = false } = {}): Promise<void> {
    const all = actuatorSettingsOf(
      site.plant,
      (template) => this.#library.get(template)?.experimental ?? false,
    );
    const wanted = new Map(all.map((settings) => [keyOf(site.id, settings.id), settings]));
    for (const [key, { status, settings }] of [...this.#held])
      if (status.siteId === site.id && JSON.stringify(wanted.get(key)) !== JSON.stringify(settings))
        await this.#end(key, !wanted.has(key));
    for (const [key, settings] of wanted) {
      // An actuator in conflict may start now that another one has ended.
      if (this.#held.has(key) && this.#held.get(key)?.fault?.kind !== "conflict") continue;
      const held = await this.#create(site, settings, isTakeOver);
      this.#held.set(key, held);
      this.#report(key);
      await held.actuator?.start();
    }
  }

  async #giveUp(held: Held, at: Date): Promise<void> {
    const { actuator } = held;
    held.actuator = undefined;
    delete held.device;
    const message = "The administrator drives this device now.";
    held.fault = { kind: "conflict", message, at };
    await actuator?.stop();
    this.#report(keyOf(held.status.siteId, held.status.id));
  }

  async #create(site: Site, settings: ActuatorSettings, isTakeOver: boolean): Promise<Held> {
    const template = this.#library.get(settings.template);
    const status = {
      siteId: site.id,
      id: settings.id,
      controls: settings.controls,
      template: settings.template,
      transport: "",
      isExperimental: template?.experimental ?? false,
      states: [],
    };
    const of = { plant: site.plant, template: () => template, language: "en" } as const;
    const name = commandedName(settings, of);
    const at = this.#options.clock.now();
    try {
      if (template === undefined) throw unknownTemplate(settings.template, this.#library.ids());
      const { device, transport, targets } = configuredDevice(site, settings, template, this.#options);
      const full = { ...status, transport, states: device.states() };
      const unable = (kind: "conflict" | "standby", message: string): Held => {
        return { settings, name, status: full, actuator: undefined, fault: { kind, message, at }, targets };
      };
      for (const other of this.#held.others(site.id, settings.id, targets)) {
        if (other.actuator === undefined) continue;
        if (this.#held.yields(other, site.id)) {
          await this.#giveUp(other, at);
          continue;
        }
        const message = `${this.#held.nameOf(other, site.id)} already drives this device; remove one of them.`;
        return unable("conflict", message);
      }
      if (!this.#options.commander.isCommanding)
        return unable("standby", "Another gateway with the identity of this one commands this device.");
      const actuator = await createActuator(this.#options, {
        site,
        isTakeOver,
        settings,
        device,
        onChange: () => this.#report(keyOf(site.id, settings.id)),
      });
      return { settings, name, status: full, actuator, device, fault: undefined, targets };
    } catch (error) {
      if (!(error instanceof ActuatorInputError || error instanceof ExpressionError)) throw error;
      const fault = { kind: "misconfigured" as const, message: errorMessage(error), at };
      return { settings, name, status, actuator: undefined, fault, targets: [] };
    }
  }

  #report(key: string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    const status = heldStatus(held);
    const { siteId, id } = status;
    const text = JSON.stringify(status);
    if (text === held.reported) return;
    held.reported = text;
    const { state, detail } = actuatorComponent(status);
    this.#options.components.report(actuatorComponentName(siteId, id), state, detail, { siteId });
    const { controls } = status;
    this.#options.bus.emit("actuator.changed", { siteId, id, controls, obstacle: obstacleOf(status) });
  }
}
