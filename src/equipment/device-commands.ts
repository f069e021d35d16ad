import type { DeviceCondition, DeviceRequest, DeviceSource } from "./command.js";
import { authOf, type DeviceAuth, type ForeignBroker, foreignBrokerOf } from "./device-connection.js";
import { hostsIn } from "./device-hosts.js";
import { type Pace, paceOf } from "./device-pace.js";
import { deviceTargets } from "./device-targets.js";
import { effectsOf, type StateEffect } from "./effect.js";
import { render, renderFlag, renderNumber, unlessExpressionFails, type Variables } from "./expression.js";
import { expressionsOf, namesForExpressions, renderedParameters } from "./parameter-expression.js";
import { pollLimits } from "./reading/poll-limits.js";
import { registerChecks } from "./registers/checks.js";
import { compileRegisters } from "./registers/compile.js";
import { type RegisterWrite, unknownRegisters } from "./registers/render.js";
import type { TemplateRegister } from "./registers/schema.js";
import { expectedOf, renderCheck, renderCondition, renderRequests, renderSource } from "./render-requests.js";
import { type ActuatorState, type Control, neutralState } from "./states.js";
import {
  type ActuatorTemplate,
  kindOf,
  secretsOf,
  type TemplateCheck,
  type TemplateReading,
  type TemplateTransport,
  type TransportKind,
} from "./template.js";
import { modbusAddress } from "./transport/modbus-address.js";
import type { LiveVariable } from "./variables.js";
import { type Wanted, wantedState } from "./wanted.js";

/** A check of the device's state: the source, and what it must have. */
export interface Check extends DeviceCondition {
  isNegated: false;
}

/** A template with the parameters of one actuator: what is sent and read for each state. Methods throw ExpressionError. */
export class DeviceCommands {
  readonly kind: TransportKind;
  readonly neutral: ActuatorState;
  /** Values that appear in no log. */
  readonly secrets: readonly string[];
  readonly #template: ActuatorTemplate;
  readonly #transport: TemplateTransport;
  readonly #effects: ReturnType<typeof effectsOf>;
  readonly #control: Control;
  readonly #parameters: Readonly<Record<string, unknown>>;
  /** Parameters that are expressions, and the names that these may use. */
  readonly #expressions: readonly string[];
  readonly #namesForExpressions: readonly string[];

  constructor(options: {
    template: ActuatorTemplate;
    transport: string;
    control: Control;
    /** The values of the template's parameters, with `plant` and `actuator`. */
    parameters: Readonly<Record<string, unknown>>;
  }) {
    this.#template = options.template;
    this.#transport = options.template.transports[options.transport]!;
    this.#effects = effectsOf(options.template, options.transport);
    this.#control = options.control;
    this.#parameters = options.parameters;
    this.kind = kindOf(options.transport, this.#transport);
    this.neutral = neutralState(options.control);
    this.#expressions = expressionsOf(options.template);
    this.#namesForExpressions = namesForExpressions(options.template);
    this.secrets = secretsOf(options.template, options.parameters);
  }

  /** Names of what is driven; two actuators must not share one. */
  targets(): string[] {
    if (this.kind === "modbus")
      return this.hosts().map((host) => JSON.stringify([host, `unit ${String(this.#parameters.unit)}`]));
    const commands = Object.keys(this.#transport.commands).flatMap((state) =>
      this.requests(wantedState(state as ActuatorState, { powerKw: 1 })),
    );
    const { target } = this.#transport;
    const [first] = commands;
    return deviceTargets({ target, variables: this.#resting(), first, brokerUrl: this.broker()?.url });
  }

  /** What a Modbus connection of the device needs. Throws ActuatorInputError. */
  modbus() {
    const values = this.#resting();
    const { modbus = {} } = this.#transport;
    return {
      transport: this.#transport,
      values: this.#parameters,
      registers: compileRegisters(this.#registers, { variables: values, unit: Number(values.unit ?? 1) }),
      limits: pollLimits(modbus),
    };
  }

  /** Readings of the home that its commands follow. */
  get needs(): readonly LiveVariable[] {
    return this.#transport.needs ?? this.#template.needs ?? [];
  }

  pace(): Pace {
    return paceOf(this.#template, this.#transport, { control: this.#control, parameters: this.#parameters });
  }

  /** Whether the state must be repeated. */
  isLeased(state: string): boolean {
    const leased = this.#transport.leased ?? this.#template.leased;
    return leased === undefined ? true : (leased as readonly string[]).includes(state);
  }

  get #registers(): Readonly<Record<string, TemplateRegister>> {
    return this.#transport.registers ?? {};
  }

  /** The state that is sent for the wanted one: the device may not have it. What cannot be computed is a fault of its command. */
  possible(wanted: Wanted, live: Variables = {}): Wanted {
    return unlessExpressionFails(() => this.#possible(wanted, live), wanted);
  }

  #possible(asked: Wanted, live: Variables): Wanted {
    const { hold, block } = this.#effects;
    const isBlocked = asked.isResting && hold?.storesPv === true && block?.servesLoad === false;
    const wanted: Wanted = isBlocked ? { ...asked, state: "block" } : asked;
    const state = this.#rule(wanted, live)?.use;
    if (state === undefined && this.#isUncertain(wanted, live)) {
      const { isUrgent, isByHand } = wanted;
      return wantedState(this.neutral, { isUrgent, isByHand });
    }
    if (state !== undefined)
      return { ...wanted, state, powerKw: state === "on" || state === "cap" ? wanted.powerKw : 0 };
    if (wanted.state === this.neutral || this.requests(wanted, live).length > 0) return wanted;
    const { isUrgent, isByHand } = wanted;
    return wantedState(this.neutral, { isUrgent, isByHand });
  }

  /** A state that follows readings of the home which are not known. */
  #isUncertain(wanted: Wanted, live: Variables): boolean {
    if (this.needs.every((name) => typeof live[name] === "number")) return false;
    const isUnknown = ({ value }: RegisterWrite) => Number.isNaN(value);
    const known = { ...live, ...Object.fromEntries(this.needs.map((name) => [name, 0])) };
    const parts = (from: Variables) => this.requests(wanted, from).flatMap(({ set = [] }) => set);
    return parts(live).filter(isUnknown).length > parts(known).filter(isUnknown).length;
  }

  /** Why another state would be sent than the wanted one, as a sentence without its end. */
  insteadText(wanted: Wanted, live: Variables = {}): string {
    const variables = this.#variables(wanted, live);
    const rule = this.#rule(wanted, live);
    return rule?.says === undefined
      ? `the template has no command for "${wanted.state}"`
      : render(rule.says.en, variables);
  }

  /** The states that the device can be set to. */
  states(): ActuatorState[] {
    const states = Object.keys(this.#transport.commands) as ActuatorState[];
    // What they write may depend on what the device has.
    if (this.kind === "modbus") return states;
    return states.filter((state) => this.requests(wantedState(state, { powerKw: 1 })).length > 0);
  }

  /** The power that the device takes when it is switched on with a power, kW: whole amperes, for example. */
  takenKw(powerKw: number): number {
    const { taken_kw: taken } = this.#template;
    const kw =
      taken === undefined ? 0 : renderNumber(taken, this.#variables(wantedState("on", { powerKw }), {}));
    return kw > 0 ? round(kw, 3) : powerKw;
  }

  /** The requests of a state, in their order. */
  requests(wanted: Wanted, live: Variables = {}): DeviceRequest[] {
    return renderRequests(
      this.#transport.commands[wanted.state] ?? [],
      this.#variables(wanted, live),
      this.#registers,
    );
  }

  /** The exit is a list of requests: the neutral state is then a command like the others, such as a wallbox switched off. */
  get hasExitOfItsOwn(): boolean {
    return Array.isArray(this.#transport.exit);
  }

  /** What is sent when the actuator ends: a state, or requests with the state `exit`; undefined where the lease ends by itself. */
  exit(live: Variables = {}): { state: string; requests: DeviceRequest[] } | undefined {
    const { exit = this.neutral } = this.#transport;
    const wanted = wantedState(this.neutral);
    if (typeof exit !== "string")
      return {
        state: "exit",
        requests: renderRequests(exit, this.#variables(wanted, live), this.#registers),
      };
    const state = render(exit, this.#variables(wanted, live)) || this.neutral;
    if (state === "none") return undefined;
    const requests = this.requests(wantedState(state as ActuatorState), live);
    return requests.length === 0 ? undefined : { state, requests };
  }

  /** The checks that confirm a state; of `rest`, what the device shows without a command, such as after its own start. */
  checks(state: string, wanted: Pick<Wanted, "powerKw" | "socStopPct">, live: Variables = {}): Check[] {
    if (this.kind === "modbus") return this.#registerChecks(state, wanted, live);
    return this.#checksOf(this.#transport.read ?? [], state, { wanted, live });
  }

  /** The checks that the controller behind the device has applied a state. */
  applied(state: string, wanted: Pick<Wanted, "powerKw" | "socStopPct">, live: Variables = {}): Check[] {
    return this.#checksOf(this.#transport.applied ?? [], state, { wanted, live });
  }

  /** What the requests of a state leave in the registers. */
  #registerChecks(
    state: string,
    { powerKw, socStopPct }: Pick<Wanted, "powerKw" | "socStopPct">,
    live: Variables,
  ): Check[] {
    const { commands, exit } = this.#transport;
    const list = state === "exit" && Array.isArray(exit) ? exit : (commands[state] ?? []);
    const wanted = wantedState(this.neutral, { powerKw, socStopPct });
    const variables = this.#variables(wanted, { ...live, state });
    const requests = renderRequests(list, variables, this.#registers);
    return registerChecks(requests, this.#registers, { isRest: state === "rest", variables });
  }

  #checksOf(
    list: readonly TemplateCheck[],
    state: string,
    { wanted, live }: { wanted: Pick<Wanted, "powerKw" | "socStopPct">; live: Variables },
  ): Check[] {
    const { powerKw, socStopPct } = wanted;
    const variables = this.#variables(wantedState(this.neutral, { powerKw, socStopPct }), { ...live, state });
    return list.flatMap((check): Check[] => {
      if (check.when !== undefined && !renderFlag(check.when, variables)) return [];
      const expect = check.expect[state];
      if (expect === undefined) return [];
      const expected = expectedOf(expect, variables);
      return expected.length === 0 ? [] : [{ ...renderCheck(check, variables), expected, isNegated: false }];
    });
  }

  /** What a state of a battery does to load and PV; undefined for other devices. */
  effect(state: string): StateEffect | undefined {
    return this.#control === "battery" ? this.#effects[state as ActuatorState] : undefined;
  }

  /** A controller between applies the commands. */
  get isAppliedByAnother(): boolean {
    return (this.#transport.applied ?? []).length > 0;
  }

  /** Whether the values that confirm a state must be asked for. */
  get isAsked(): boolean {
    return (this.#transport.read ?? []).some(({ ask }) => ask !== undefined);
  }

  get hasReading(): boolean {
    if (this.kind === "modbus")
      return Object.values(this.#registers).some(
        ({ write, blind, unchecked }) => write !== undefined && !blind && !unchecked,
      );
    return this.#sources(this.#transport.read ?? []).length > 0;
  }

  setup(live: Variables = {}): DeviceRequest[] {
    return renderRequests(this.#transport.setup ?? [], this.#resting(live), this.#registers);
  }

  keepalive(live: Variables): { everyMs: number; isAlways: boolean; requests: DeviceRequest[] } | undefined {
    const { keepalive } = this.#transport;
    if (keepalive === undefined) return undefined;
    const variables = this.#resting(live);
    return {
      everyMs: renderNumber(keepalive.every_s, variables) * 1000,
      isAlways: keepalive.while === "enabled",
      requests: renderRequests(keepalive.requests, variables),
    };
  }

  found(): Record<string, DeviceSource> {
    const registers = Object.entries(this.#registers).filter(([, { found }]) => found === true);
    if (registers.length > 0)
      return Object.fromEntries(
        registers.map(([register]) => [register, { register, ignore: [], retained: true }]),
      );
    const entries = Object.entries(this.#transport.found ?? {});
    return Object.fromEntries(entries.map(([name, source]) => [name, renderSource(source, this.#resting())]));
  }

  available(): DeviceCondition | undefined {
    return this.#transport.available && renderCondition(this.#transport.available, this.#resting());
  }

  /** A value that the device publishes while it listens. */
  alive(): DeviceSource | undefined {
    return this.#transport.alive && renderSource(this.#transport.alive, this.#resting());
  }

  /** A value that is another one after each start of the device. */
  boots(): DeviceSource | undefined {
    return this.#transport.boots && renderSource(this.#transport.boots, this.#resting());
  }

  uptime(): DeviceSource | undefined {
    return this.#transport.uptime && renderSource(this.#transport.uptime, this.#resting());
  }

  /** Conditions under which something else controls the device, with a text for the user. */
  neighbours(live: Variables = {}): (DeviceCondition & { says: { en: string; de: string } })[] {
    return (this.#transport.neighbours ?? []).map(({ says, ...one }) => ({
      ...renderCondition(one, this.#resting(live)),
      says,
    }));
  }

  /** What is sent before the state that leaves the device to itself, if the device may have started since its last command. */
  afterRestart(live: Variables = {}): DeviceRequest[] {
    return renderRequests(this.#transport.exit_after_restart ?? [], this.#resting(live), this.#registers);
  }

  declines(live: Variables = {}): DeviceCondition[] {
    return (this.#transport.declines ?? []).map((one) => renderCondition(one, this.#resting(live)));
  }

  lock(): { states: readonly string[]; use: ActuatorState; all: DeviceCondition[] } | undefined {
    const { lock } = this.#transport;
    return (
      lock && {
        states: lock.states,
        use: lock.use,
        all: lock.all.map((one) => renderCondition(one, this.#resting())),
      }
    );
  }

  /** Topics and filters to subscribe to. */
  filters(): string[] {
    const { found = {}, available, alive, uptime, boots, declines = [], lock, commands } = this.#transport;
    const { read = [], applied = [], neighbours = [] } = this.#transport;
    const until = Object.values(commands).flatMap((list) => list.flatMap((one) => one.until ?? []));
    const sources = this.#sources([
      ...read,
      ...applied,
      ...neighbours,
      ...Object.values(found),
      ...(available ? [available] : []),
      ...(alive ? [alive] : []),
      ...(uptime ? [uptime] : []),
      ...(boots ? [boots] : []),
      ...declines,
      ...(lock?.all ?? []),
      ...until,
    ]);
    return [...new Set(sources.flatMap(({ topic, orTopic }) => [topic ?? [], orTopic ?? []].flat()))];
  }

  auth(): DeviceAuth {
    return authOf(this.#transport, this.#parameters);
  }

  get verifiesTls(): boolean {
    const { verify_tls: verify } = this.#transport;
    return verify === undefined || renderFlag(verify, this.#parameters);
  }

  get timeoutMs(): number {
    return renderNumber(this.#transport.timeout_s ?? 5, this.#parameters) * 1000;
  }

  /** Undefined: the gateway's own connection. */
  broker(): ForeignBroker | undefined {
    return foreignBrokerOf(this.#transport, this.#parameters);
  }

  /** Replaces secrets in a text for the log. */
  redact(text: string): string {
    const hidden = this.secrets.flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
    ]);
    return hidden.reduce((result, secret) => result.replaceAll(secret, "•••"), text);
  }

  /** The rule of the template that replaces the wanted state. */
  #rule(wanted: Wanted, live: Variables) {
    const variables = this.#variables(wanted, live);
    return (this.#template.instead ?? []).find(
      ({ state, when }) =>
        state === wanted.state &&
        (when === undefined ? this.requests(wanted, live).length === 0 : renderFlag(when, variables)),
    );
  }

  #sources(sources: readonly (TemplateReading & { when?: string })[]): DeviceSource[] {
    return sources
      .filter(({ when }) => when === undefined || renderFlag(when, this.#resting()))
      .map((source) => renderSource(source, this.#resting()));
  }

  /** Hosts with their ports that requests and connections go to; no other one gets a secret of the device. */
  hosts(): string[] {
    if (this.kind === "modbus") {
      const { host, port } = modbusAddress(this.#transport, this.#parameters);
      return host === "" ? [] : [`${host}:${port}`];
    }
    return hostsIn(this.#transport, this.#resting(), (state) =>
      this.#variables(wantedState(state, { powerKw: 1 })),
    );
  }

  #variables(wanted: Wanted, live: Variables = {}): Record<string, unknown> {
    const pace = { lease_s: 0, repeat_s: 0 };
    const unknown = unknownRegisters(this.#registers);
    const variables: Record<string, unknown> = {
      soc_pct: null,
      load_w: null,
      pv_w: null,
      battery_w: null,
      grid_w: null,
      found: {},
      tick: 0,
      now_s: 0,
      ...pace,
      ...this.#parameters,
      state: wanted.state,
      power_kw: round(wanted.powerKw, 3),
      power_w: Math.round(wanted.powerKw * 1000),
      soc_stop_pct: round(wanted.socStopPct, 1),
      ...live,
    };
    for (const name of this.needs) variables[name] ??= Number.NaN;
    if (this.kind === "modbus") {
      variables.found = { ...unknown.found, ...numbersOf(live.found) };
      variables.device = { ...unknown.device, ...numbersOf(live.device) };
    }
    const { lease_s: lease, repeat_s: repeat } = { ...this.#template, ...this.#transport };
    if (lease !== undefined) variables.lease_s = renderNumber(lease, variables);
    if (repeat !== undefined) variables.repeat_s = renderNumber(repeat, variables);
    for (const [name, value] of Object.entries(this.#template.values ?? {})) {
      const text = typeof value === "number" ? value : render(value, variables).trim();
      variables[name] = text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
    }
    if (this.#expressions.length === 0) return variables;
    const pick = (names: readonly string[]) =>
      Object.fromEntries(names.map((name) => [name, variables[name]]));
    const rendered = renderedParameters(pick(this.#expressions), pick(this.#namesForExpressions));
    return Object.defineProperties(variables, Object.getOwnPropertyDescriptors(rendered));
  }

  /** The variables of what does not depend on the wanted state. */
  #resting(live: Variables = {}): Record<string, unknown> {
    return this.#variables(wantedState(this.neutral), live);
  }
}

function numbersOf(values: unknown): Record<string, number> {
  const entries = Object.entries((values ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (Number.isFinite(Number(value)) ? [[name, Number(value)]] : [])),
  );
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
