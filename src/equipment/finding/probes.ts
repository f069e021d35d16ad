import type { ActuatorTemplate } from "../template.js";

/** A tell-tale of a template. */
export type Detect = NonNullable<ActuatorTemplate["detect"]>[number];

export interface Probe {
  template: ActuatorTemplate;
  detect: Detect;
  ports: readonly number[];
}

/** A tell-tale that fits, with what the template needs to find the device again. */
export interface Candidate {
  template: ActuatorTemplate;
  with: Record<string, string | number>;
  /** Named by a text of the device, such as its model; otherwise only by plausible numbers. */
  isNamed: boolean;
  place: Place;
}

/** What a found device is at. */
export interface Place {
  host: string;
  port: number;
  unit?: number;
  value?: string;
}

export interface Probes {
  http: readonly Probe[];
  modbus: readonly Probe[];
  rct: readonly Probe[];
  datagrams: readonly Probe[];
  texts: readonly Probe[];
  groups: readonly Probe[];
  services: readonly Probe[];
}

/** The tell-tales of templates by the way in which they are tried. */
export function probesOf(templates: readonly ActuatorTemplate[]): Probes {
  const all: Probe[] = templates.flatMap((template) =>
    (template.detect ?? []).map((detect) => ({ template, detect, ports: listOf(detect.port) })),
  );
  const isModbus = ({ detect }: Probe) =>
    detect.holding !== undefined || detect.input !== undefined || detect.sunspec !== undefined;
  const isDatagram = ({ detect }: Probe) => detect.with?.framing === "udp";
  return {
    http: all.filter(({ detect }) => detect.url !== undefined),
    modbus: all.filter((one) => isModbus(one) && !isDatagram(one)),
    rct: all.filter(({ detect }) => detect.rct !== undefined),
    datagrams: all.filter((one) => isModbus(one) && isDatagram(one)),
    texts: all.filter(({ detect }) => detect.udp?.send !== undefined),
    groups: all.filter(({ detect }) => detect.udp?.group !== undefined),
    services: all.filter(({ detect }) => detect.mdns !== undefined),
  };
}

/** A number, or a list of numbers. */
export function listOf(value: number | readonly number[] | undefined): readonly number[] {
  return value === undefined ? [] : typeof value === "number" ? [value] : value;
}

/** Whether what was read is what the tell-tale names. */
export function fits(
  { matches, equals, between }: Pick<Detect, "matches" | "equals" | "between">,
  value: string,
): boolean {
  if (equals !== undefined) return String(equals) === value || Number(equals) === Number(value);
  if (between !== undefined) {
    const number = value.trim() === "" ? Number.NaN : Number(value);
    return number >= between[0]! && number <= between[1]!;
  }
  return matches === undefined ? value.trim() !== "" : new RegExp(matches).test(value);
}

/** What the template is added with: what the tell-tale states, otherwise the address where it is not the usual one. */
export function candidateOf({ template, detect }: Probe, place: Place): Candidate {
  const isHttp = detect.url !== undefined;
  const address = isHttp && place.port !== 80 ? `${place.host}:${place.port}` : place.host;
  const stated = detect.with ?? (isHttp ? { host: "{{ host }}" } : undefined);
  const values: Record<string, string | number> =
    stated === undefined
      ? { host: place.host }
      : Object.fromEntries(
          Object.entries(stated).map(([name, value]) => [name, filledIn(value, { ...place, host: address })]),
        );
  if (!isHttp)
    for (const name of ["port", "unit"] as const) {
      const found = place[name];
      if (found === undefined || values[name] !== undefined) continue;
      const usual = template.parameters[name]?.default;
      if (template.parameters[name] !== undefined && found !== usual) values[name] = found;
    }
  const isNamed = detect.between === undefined;
  return {
    template,
    with: { ...(detect.transport !== undefined && { transport: detect.transport }), ...values },
    isNamed,
    place,
  };
}

function filledIn(value: string | number | boolean, place: Place): string | number {
  if (typeof value !== "string") return typeof value === "boolean" ? String(value) : value;
  const whole = /^\{\{ (port|unit) \}\}$/.exec(value);
  if (whole !== null) return place[whole[1] as "port" | "unit"] ?? value;
  return value.replaceAll(/\{\{ (host|port|unit|value) \}\}/g, (_, name: keyof Place) =>
    String(place[name] ?? ""),
  );
}

/** The ports at which hosts are looked at. */
export function portsOf(probes: readonly Probe[]): number[] {
  return [...new Set(probes.flatMap(({ detect }) => [...listOf(detect.port)]))];
}
