import { freemem, totalmem } from "node:os";
import { formatIso, isZone, VIENNA } from "../../core/time/zone.js";
import { about, type DoctorTexts, type Finding } from "./finding.js";

/** The oldest Node.js that runs hourgate, as in package.json. */
export const OLDEST_NODE = "20.19.0";

/** With less memory, a gateway with the editor begins to swap; bytes. */
const LITTLE_MEMORY = 512 * 2 ** 20;
const LITTLE_FREE = 128 * 2 ** 20;

/** Properties of the machine that are examined. */
export interface Machine {
  nodeVersion: string;
  /** Memory that this process may use, bytes: the machine's, or less in a container. */
  memoryBytes: number;
  freeBytes: number;
}

/** This machine. */
export function thisMachine(): Machine {
  const limit = process.constrainedMemory();
  const memoryBytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return { nodeVersion: process.versions.node, memoryBytes, freeBytes: freemem() };
}

/** Examines the version of Node.js, the memory and the time zone data. */
export function examineMachine(
  { nodeVersion, memoryBytes, freeBytes }: Machine,
  texts: DoctorTexts,
): Finding[] {
  return [
    examineNode(nodeVersion, texts),
    examineMemory({ memoryBytes, freeBytes }, texts),
    examineZones(texts),
  ];
}

function examineNode(version: string, texts: DoctorTexts): Finding {
  const node = about(texts.what.node);
  return isAtLeast(version, OLDEST_NODE)
    ? node.ok(texts.node.ok(version))
    : node.bad(texts.node.old(version, OLDEST_NODE));
}

function isAtLeast(version: string, oldest: string): boolean {
  const [have, want] = [version, oldest].map((text) =>
    text.split(".").map((part) => Number.parseInt(part, 10)),
  );
  for (const [index, part] of want!.entries()) {
    const difference = (have![index] ?? 0) - part;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function examineMemory(
  { memoryBytes, freeBytes }: Pick<Machine, "memoryBytes" | "freeBytes">,
  texts: DoctorTexts,
): Finding {
  const memory = about(texts.what.memory);
  const [total, free] = [megabytes(memoryBytes), megabytes(freeBytes)];
  if (memoryBytes < LITTLE_MEMORY) return memory.warn(texts.memory.small(total, free));
  if (freeBytes < LITTLE_FREE) return memory.warn(texts.memory.low(total, free));
  return memory.ok(texts.memory.ok(total, free));
}

/** A Node.js without full time zone data would use UTC for Vienna: all plans would be shifted by an hour or two. */
function examineZones(texts: DoctorTexts): Finding {
  const zones = about(texts.what.zones);
  const winter = isZone(VIENNA) ? formatIso(new Date("2026-01-15T12:00:00Z"), VIENNA) : "";
  const summer = isZone(VIENNA) ? formatIso(new Date("2026-07-15T12:00:00Z"), VIENNA) : "";
  return winter.endsWith("T13:00:00+01:00") && summer.endsWith("T14:00:00+02:00")
    ? zones.ok(texts.zones.ok(process.versions.tz))
    : zones.bad(texts.zones.bad);
}

/** A size in MB, or in GB from 1000 MB. */
export function megabytes(bytes: number): string {
  const mb = bytes / 1e6;
  return mb >= 1000 ? `${(mb / 1000).toFixed(1)} GB` : `${Math.round(mb)} MB`;
}
