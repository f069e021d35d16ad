import type { Check, DeviceSource } from "../command.js";
import type { Variables } from "../expression.js";
import { pollLimits } from "../reading/poll-limits.js";
import { renderRequests } from "../render-requests.js";
import type { TemplateTransport } from "../template.js";
import { modbusAddress } from "../transport/modbus-address.js";
import { registerChecks } from "./checks.js";
import { compileRegisters } from "./compile.js";
import type { TemplateRegister } from "./schema.js";

/** The registers of a device that is commanded over Modbus. */
export class DeviceRegisters {
  readonly all: Readonly<Record<string, TemplateRegister>>;
  readonly #transport: TemplateTransport;
  readonly #parameters: Readonly<Record<string, unknown>>;

  constructor(transport: TemplateTransport, parameters: Readonly<Record<string, unknown>>) {
    this.all = transport.registers ?? {};
    this.#transport = transport;
    this.#parameters = parameters;
  }

  /** Host with port; none if it is not stated. */
  hosts(): string[] {
    const { host, port } = modbusAddress(this.#transport, this.#parameters);
    return host === "" ? [] : [`${host}:${port}`];
  }

  targets(): string[] {
    return this.hosts().map((host) => JSON.stringify([host, `unit ${String(this.#parameters.unit)}`]));
  }

  /** What the connection needs. Throws ActuatorInputError, ExpressionError. */
  connection(variables: Variables) {
    return {
      transport: this.#transport,
      values: this.#parameters,
      registers: compileRegisters(this.all, { variables, unit: Number(variables.unit ?? 1) }),
      limits: pollLimits(this.#transport.modbus ?? {}),
    };
  }

  /** What the requests of a state leave behind. */
  checks(state: string, variables: Variables): Check[] {
    const { commands, exit } = this.#transport;
    const list = state === "exit" && Array.isArray(exit) ? exit : (commands[state] ?? []);
    const requests = renderRequests(list, variables, this.all);
    return registerChecks(requests, this.all, { isRest: state === "rest", variables });
  }

  /** Whether any of them shows what was written. */
  get areShown(): boolean {
    return Object.values(this.all).some(
      ({ write, blind, unchecked }) => write !== undefined && !blind && !unchecked,
    );
  }

  /** What is read before the first command. */
  found(): Record<string, DeviceSource> {
    const found = Object.keys(this.all).filter((name) => this.all[name]!.found === true);
    return Object.fromEntries(found.map((register) => [register, { register, ignore: [], retained: true }]));
  }
}
