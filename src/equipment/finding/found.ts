import { readsOf } from "../reading/create-device.js";
import { rolesOf } from "../reading/names.js";
import { type ActuatorTemplate, kindOf } from "../template.js";
import type { FirstLook, FoundReading } from "./look.js";
import type { Candidate } from "./probes.js";

/** Another way to the same device. */
export interface OtherWay {
  template: string;
  with: Readonly<Record<string, string | number>>;
}

/** A device that was found, as the command line prints it with `--json`. */
export interface FoundDevice extends OtherWay {
  name: string;
  identity: Readonly<Record<string, string>>;
  reads: readonly string[];
  controls: readonly string[];
  facts: Readonly<Record<string, number>>;
  readings: Readonly<Record<string, FoundReading>>;
  /** Other ways to it; the better one is the device's own. */
  also: readonly OtherWay[];
}

/** A candidate that was looked at. */
export interface Seen {
  host: string;
  candidate: Candidate;
  look: FirstLook;
}

/** Templates that fit devices of every make yield to those of a make. */
export function isGeneric({ id }: ActuatorTemplate): boolean {
  return id.startsWith("sunspec-");
}

/** A device that is named by plausible numbers only must have readings, too. */
export function isProven({ candidate, look }: Seen): boolean {
  return candidate.isNamed || Object.values(look.readings).some(({ value }) => value !== null);
}

/** The devices, each once, with the better way to it first. */
export function foundDevices(seen: readonly Seen[]): FoundDevice[] {
  const groups: Seen[][] = [];
  for (const one of withoutWorse(seen).sort((a, b) => rankOf(a) - rankOf(b))) {
    const same = groups.find(([first]) => isSame(first!, one));
    if (same === undefined) groups.push([one]);
    else same.push(one);
  }
  return groups.map(([first, ...others]) => deviceOf(first!, others)).sort((a, b) => orderOf(a) - orderOf(b));
}

/** Of several templates that only plausible numbers speak for at one place those with the largest part of their readings. */
function withoutWorse(seen: readonly Seen[]): Seen[] {
  const shareOf = ({ look }: Seen) => {
    const all = Object.values(look.readings);
    return all.filter(({ value }) => value !== null).length / Math.max(1, all.length);
  };
  const isWorse = (one: Seen) =>
    !one.candidate.isNamed &&
    seen.some(
      (other) =>
        other.host === one.host &&
        other.candidate.place.port === one.candidate.place.port &&
        other.candidate.place.unit === one.candidate.place.unit &&
        shareOf(other) > shareOf(one),
    );
  return seen.filter((one) => !isWorse(one));
}

const KINDS = ["modbus", "rct", "speedwire", "udp", "http", "mqtt"];

/** Modbus before HTTP: it is faster, and takes commands. */
function rankOf({ candidate: { template, with: parameters } }: Seen): number {
  const kind = KINDS.indexOf(
    kindOf(transportOf(template, parameters), template.transports[transportOf(template, parameters)]!),
  );
  return Number(template.experimental) * 10 + Number(isGeneric(template)) * 5 + kind;
}

/** Inverters and batteries first, then meters, then the rest. */
function orderOf({ reads }: FoundDevice): number {
  const order = ["battery", "pv", "grid", "load", "slot"].findIndex((role) => reads.includes(role));
  return order < 0 ? 9 : order;
}

function isSame(a: Seen, b: Seen): boolean {
  const [serialA, serialB] = [a.look.identity.serial, b.look.identity.serial];
  const isSameMake = makeOf(a) === makeOf(b);
  // What one of several generic templates reads, the others do not.
  const isPart = rolesIn(b).every((role) => role === "load" || rolesIn(a).includes(role));
  if (serialA !== undefined && serialB !== undefined) return isSameMake && serialA === serialB && isPart;
  return a.host === b.host && isSameMake && isPart;
}

function makeOf({ candidate: { template }, look }: Seen): string {
  return (look.identity.manufacturer ?? template.id).toLowerCase().split(" ")[0]!;
}

function transportOf(template: ActuatorTemplate, parameters: Readonly<Record<string, unknown>>): string {
  return String(parameters.transport ?? Object.keys(template.transports)[0]);
}

/** What it has readings for; all of its template if it shows nothing yet. */
function rolesIn({ candidate: { template, with: parameters }, look }: Seen): string[] {
  const readings = readsOf(template, transportOf(template, parameters)).readings ?? {};
  const known = Object.entries(readings).filter(([name]) => (look.readings[name]?.value ?? null) !== null);
  return rolesOf(known.length > 0 ? Object.fromEntries(known) : readings);
}

function deviceOf(first: Seen, others: readonly Seen[]): FoundDevice {
  const { candidate, look } = first;
  return {
    template: candidate.template.id,
    name: nameOf(first),
    with: candidate.with,
    identity: look.identity,
    reads: rolesIn(first),
    controls: candidate.template.controls,
    facts: look.facts,
    readings: look.readings,
    also: others.map((one) => ({ template: one.candidate.template.id, with: one.candidate.with })),
  };
}

function nameOf({ candidate: { template }, look: { identity } }: Seen): string {
  const { manufacturer = "", model = "" } = identity;
  if (model === "") return manufacturer === "" ? template.name.en! : `${template.name.en}`;
  return model.toLowerCase().startsWith(manufacturer.toLowerCase())
    ? model
    : `${manufacturer} ${model}`.trim();
}
