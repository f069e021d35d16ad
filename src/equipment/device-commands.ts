import type { Check, DeviceCondition, DeviceRequest, DeviceSource } from "./command.js";
import { authOf, type DeviceAuth, type ForeignBroker, foreignBrokerOf } from "./device-connection.js";
import { hostsIn } from "./device-hosts.js";
import { type Pace, paceOf } from "./device-pace.js";
import { deviceTargets } from "./device-targets.js";
import { DeviceVariables, inDigits } from "./device-variables.js";
import { effectsOf, type StateEffect } from "./effect.js";
import { render, renderFlag, renderNumber, unlessExpressionFails, type Variables } from "./expression.js";
import { DeviceRegisters } from "./registers/device-registers.js";
import type { RegisterWrite } from "./registers/render.js";
import { renderChecks, renderCondition, renderRequests, renderSource, sourcesIn } from "./render-requests.js";
import { type ActuatorState, type Control, neutralState } from "./states.js";
import {
  type ActuatorTemplate,
  kindOf,
  secretsOf,
  type TemplateReading,
  type TemplateTransport,
  type TransportKind,
} from "./template.js";
import type { LiveVariable } from "./variables.js";
import { type Wanted, wantedState } from "./wanted.js";

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
  readonly #registers: DeviceRegisters;
  readonly #variables: DeviceVariables;

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
    this.#registers = new DeviceRegisters(this.#transport, options.parameters);
    this.#variables = new DeviceVariables({ ...options, transport: this.#transport, needs: this.needs });
    this.secrets = secretsOf(options.template, options.parameters);
  }

  /** Names of what is driven; two actuators must not share one. */
  targets(): string[] {
    if (this.kind === "modbus") return this.#registers.targets();
    const commands = Object.keys(this.#transport.commands).flatMap((state) =>
      this.requests(wantedState(state as ActuatorState, { powerKw: 1 })),
    );
    const { target } = this.#transport;
    const [first] = commands;
    return deviceTargets({ target, variables: this.#resting(), first, brokerUrl: this.broker()?.url });
  }

  /** What a Modbus connection of the device needs. Throws ActuatorInputError. */
  modbus() {
    return this.#registers.connection(this.#resting());
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

  /** The state that is sent for the wanted one: the device may not have it. What cannot be computed is a fault of its command. */
  possible(wanted: Wanted, live: Variables = {}): Wanted {
    return unlessExpressionFails(() => this.#possible(wanted, live), wanted);
  }

  #possible(asked: Wanted, live: Variables): Wanted {
    const { hold, block } = this.#effects;
    const isBlocked = asked.isResting && hold?.storesPv === true && block?.servesLoad === false;
    const wanted: Wanted = isBlocked ? { ...asked, state: "block" } : asked;
    const state = this.#rule(wanted, live)?.use;
    if (state !== undefined)
      return { ...wanted, state, powerKw: state === "on" || state === "cap" ? wanted.powerKw : 0 };
    const isThere = wanted.state === this.neutral || this.requests(wanted, live).length > 0;
    if (isThere && !this.#isUncertain(wanted, live)) return wanted;
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
  insteadText(wanted: Wanted, live: Variables): string {
    const variables = this.#variables.of(wanted, live);
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
      taken === undefined ? 0 : renderNumber(taken, this.#variables.of(wantedState("on", { powerKw }), {}));
    return kw > 0 ? inDigits(kw, 3) : powerKw;
  }

  /** The requests of a state, in their order. */
  requests(wanted: Wanted, live: Variables = {}): DeviceRequest[] {
    return renderRequests(
      this.#transport.commands[wanted.state] ?? [],
      this.#variables.of(wanted, live),
      this.#registers.all,
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
        requests: renderRequests(exit, this.#variables.of(wanted, live), this.#registers.all),
      };
    const state = render(exit, this.#variables.of(wanted, live)) || this.neutral;
    if (state === "none") return undefined;
    const requests = this.requests(wantedState(state as ActuatorState), live);
    return requests.length === 0 ? undefined : { state, requests };
  }

  /** The checks that confirm a state; of `rest`, what the device shows without a command, such as after its own start. */
  checks(state: string, wanted: Pick<Wanted, "powerKw" | "socStopPct">, live: Variables = {}): Check[] {
    const variables = this.#ofState(state, wanted, live);
    if (this.kind === "modbus") return this.#registers.checks(state, variables);
    return renderChecks(this.#transport.read ?? [], state, variables);
  }

  /** The checks that the controller behind the device has applied a state. */
  applied(state: string, wanted: Pick<Wanted, "powerKw" | "socStopPct">, live: Variables): Check[] {
    return renderChecks(this.#transport.applied ?? [], state, this.#ofState(state, wanted, live));
  }

  /** The variables of a state that the device has, or `exit` or `rest`. */
  #ofState(state: string, { powerKw, socStopPct }: Pick<Wanted, "powerKw" | "socStopPct">, live: Variables) {
    return this.#variables.of(wantedState(this.neutral, { powerKw, socStopPct }), { ...live, state });
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
    if (this.kind === "modbus") return this.#registers.areShown;
    return this.#sources(this.#transport.read ?? []).length > 0;
  }

  setup(live: Variables = {}): DeviceRequest[] {
    return renderRequests(this.#transport.setup ?? [], this.#resting(live), this.#registers.all);
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
    if (this.kind === "modbus") return this.#registers.found();
    const entries = Object.entries(this.#transport.found ?? {});
    return Object.fromEntries(
      entries.map(([name, { optional: isOptional, ...source }]) => [
        name,
        { ...renderSource(source, this.#resting()), isOptional },
      ]),
    );
  }

  available(): DeviceCondition | undefined {
    return this.#transport.available && renderCondition(this.#transport.available, this.#resting());
  }

  /** `absent`: each shows that the device lacks what the parameters name, such as a loadpoint; `declines`: that it does not follow now. */
  conditions(key: "absent" | "declines", live: Variables = {}): DeviceCondition[] {
    return (this.#transport[key] ?? []).map((one) => renderCondition(one, this.#resting(live)));
  }

  /** `alive`: a value that the device publishes while it listens; `boots`: another one after each of its starts; `uptime`: s. */
  sign(key: "alive" | "boots" | "uptime"): DeviceSource | undefined {
    const source = this.#transport[key];
    return source && renderSource(source, this.#resting());
  }

  /** Conditions under which something else controls the device, with a text for the user. */
  neighbours(live: Variables): (DeviceCondition & { says: { en: string; de: string } })[] {
    return (this.#transport.neighbours ?? []).map(({ says, ...one }) => ({
      ...renderCondition(one, this.#resting(live)),
      says,
    }));
  }

  /** What is sent before the state that leaves the device to itself, if the device may have started since its last command. */
  afterRestart(live: Variables = {}): DeviceRequest[] {
    return renderRequests(this.#transport.exit_after_restart ?? [], this.#resting(live), this.#registers.all);
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
    const sources = this.#sources(sourcesIn(this.#transport));
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
    const variables = this.#variables.of(wanted, live);
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
    if (this.kind === "modbus") return this.#registers.hosts();
    return hostsIn(this.#transport, this.#resting(), (state) =>
      this.#variables.of(wantedState(state, { powerKw: 1 })),
    );
  }

  /** The variables of what does not depend on the wanted state. */
  #resting(live: Variables = {}): Record<string, unknown> {
    return this.#variables.of(wantedState(this.neutral), live);
  }
}
