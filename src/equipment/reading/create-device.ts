import type { DeviceSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import { usedParameters } from "../configured-device.js";
import { DeviceVariables } from "../device-variables.js";
import { render } from "../expression.js";
import { type ActuatorTemplate, secretsOf } from "../template.js";
import type { TransportSources } from "../transport/create.js";
import { createReadChannels } from "../transport/read-channels.js";
import type { ReadChannels } from "./channels.js";
import { compileReading, type Node, sourcesOf } from "./compile.js";
import { DEVICE_READINGS, FACT_UNITS } from "./names.js";
import { DevicePoll } from "./poll.js";
import { pollLimits } from "./poll-limits.js";
import type { TemplateReadingSpec, TemplateReads } from "./reading-schema.js";

/** A device's template with its parameters: what is read, and how. */
export interface ReadPlan {
  readings: Map<string, Node>;
  facts: Map<string, Node>;
  identity: Map<string, Node>;
  asleep: Node | undefined;
  sleeps: boolean;
  /** Shown address, without secrets. */
  address: string;
  channels: ReadChannels;
  poll: DevicePoll;
}

export interface ReadPlanOptions {
  site: Pick<Site, "id">;
  settings: Pick<DeviceSettings, "id" | "with" | "reversed" | "controls">;
  template: ActuatorTemplate;
  /** Roles such as `grid` or `slot 1`; undefined: all that the template has. */
  reads?: readonly string[];
  now(): number;
}

/** What a template reads over one of its transports. */
export function readsOf(template: ActuatorTemplate, transport: string): TemplateReads {
  const own = template.transports[transport];
  const pick = <Key extends keyof TemplateReads>(key: Key) => own?.[key] ?? template[key];
  return {
    readings: pick("readings") ?? {},
    facts: pick("facts") ?? {},
    identity: pick("identity") ?? {},
    sleeps: pick("sleeps") ?? false,
    ...(pick("asleep") !== undefined && { asleep: pick("asleep")! }),
  };
}

/** Throws ActuatorInputError, ExpressionError. */
export function createReadPlan(shared: TransportSources, options: ReadPlanOptions): ReadPlan {
  const { site, settings, template, reads, now } = options;
  const { transport, values } = usedParameters(site, settings, template, {
    rules: shared,
    isReadOnly: settings.controls === null,
  });
  const parameters = { ...values, plant: site.id, actuator: settings.id };
  const own = template.transports[transport]!;
  const variables = new DeviceVariables({ template, transport: own, parameters, needs: [] }).atRest();
  const unit = Number(values.unit ?? 1);
  const given = readsOf(template, transport);
  const readings = new Map<string, Node>();
  for (const [name, spec] of Object.entries(given.readings ?? {})) {
    const { role, unit: wantedUnit, positive } = DEVICE_READINGS[name]!;
    if (reads !== undefined && !reads.some((one) => one.replace(/ \d$/, "") === role)) continue;
    const isReversed = settings.reversed.some((one) => one.replace(/ \d$/, "") === role);
    const shown = isReversed ? (OPPOSITE_COUNTERS[name] ?? name) : name;
    const node = compileReading(spec, name, { variables, unit, wantedUnit, positive });
    if (node !== undefined) readings.set(shown, isReversed && positive !== undefined ? turned(node) : node);
  }
  const others = (key: "facts" | "identity") =>
    new Map(
      Object.entries(given[key] ?? {}).flatMap(([name, spec]): [string, Node][] => {
        const wantedUnit = key === "facts" ? FACT_UNITS[name] : undefined;
        const whole: TemplateReadingSpec = typeof spec === "string" ? { value: spec } : asText(spec, key);
        const node = compileReading(whole, `${key}.${name}`, { variables, unit, wantedUnit });
        return node === undefined ? [] : [[name, node]];
      }),
    );
  const facts = others("facts");
  const identity = others("identity");
  const asleep =
    given.asleep && compileReading(given.asleep, "asleep", { variables, unit, wantedUnit: undefined });
  const nodes = [...readings.values(), ...facts.values(), ...identity.values(), ...(asleep ? [asleep] : [])];
  const channels = createReadChannels(shared, {
    siteId: site.id,
    transport: own,
    values: variables,
    sources: sourcesOf(nodes),
    now,
  });
  return {
    readings,
    facts,
    identity,
    asleep,
    sleeps: given.sleeps === true,
    address: addressOf(template, transport, variables),
    channels,
    poll: new DevicePoll({ channels, limits: pollLimits(own.modbus ?? {}), now }),
  };
}

/** Texts of an identity are not numbers, even if they look so. */
function asText(spec: TemplateReadingSpec, key: "facts" | "identity"): TemplateReadingSpec {
  const isRegister = spec.holding !== undefined || spec.input !== undefined;
  return key === "identity" && isRegister && spec.type === undefined ? { ...spec, type: "string" } : spec;
}

/** Of a meter that is mounted the other way; its powers change their sign. */
const OPPOSITE_COUNTERS: Readonly<Record<string, string>> = {
  import_kwh: "export_kwh",
  export_kwh: "import_kwh",
};

function turned(node: Node): Node {
  return { ...node, factor: node.factor === 1 ? -1 : 1 };
}

function addressOf(
  template: ActuatorTemplate,
  transport: string,
  values: Readonly<Record<string, unknown>>,
): string {
  const { modbus, broker, speedwire } = template.transports[transport]!;
  const host = String(values.host ?? "");
  if (speedwire !== undefined) return speedwire.group ?? "multicast";
  if (broker !== undefined) {
    const url = render(broker.url, values);
    return URL.canParse(url) ? new URL(url).host : "own broker";
  }
  if (modbus !== undefined && host !== "" && !/^\/|:\d+$/.test(host))
    return `${host}:${String(values.port ?? modbus.port ?? 502)}`;
  const secrets = secretsOf(template, values);
  return secrets.reduce((text, secret) => text.replaceAll(secret, "•••"), host || "own broker");
}
