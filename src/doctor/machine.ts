import { freemem, totalmem } from "node:os";
import { formatIso, isZone, VIENNA } from "../time/zone.js";
import { about, type Finding } from "./finding.js";

/** The oldest Node.js that runs hourgate, as in package.json. */
export const OLDEST_NODE = "20.19.0";

/** Below this the gateway with its editor begins to swap, bytes. */
const LITTLE_MEMORY = 512 * 2 ** 20;
const LITTLE_FREE = 128 * 2 ** 20;

/** What the checks of the machine look at. */
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

export function examineMachine({ nodeVersion, memoryBytes, freeBytes }: Machine): Finding[] {
  return [examineNode(nodeVersion), examineMemory(memoryBytes, freeBytes), examineZones()];
}

function examineNode(version: string): Finding {
  const node = about("Node.js");
  return isAtLeast(version, OLDEST_NODE)
    ? node.ok(`Version ${version}.`)
    : node.bad(
        `Version ${version} is too old; install ${OLDEST_NODE} or later, best the newest LTS release.`,
      );
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

function examineMemory(memoryBytes: number, freeBytes: number): Finding {
  const memory = about("memory");
  const has = `${megabytes(memoryBytes)}, of which ${megabytes(freeBytes)} are free.`;
  const advice = "Give it more, or switch the editor off (node_red.enabled: false), which saves over 100 MB.";
  if (memoryBytes < LITTLE_MEMORY) return memory.warn(`Only ${has} ${advice}`);
  if (freeBytes < LITTLE_FREE)
    return memory.warn(`${has} That is little: see what else runs here. ${advice}`);
  return memory.ok(has);
}

/** A Node.js built without full zone data would take Vienna for UTC: every plan an hour or two off. */
function examineZones(): Finding {
  const zones = about("time zones");
  const winter = isZone(VIENNA) ? formatIso(new Date("2026-01-15T12:00:00Z"), VIENNA) : "";
  const summer = isZone(VIENNA) ? formatIso(new Date("2026-07-15T12:00:00Z"), VIENNA) : "";
  return winter.endsWith("T13:00:00+01:00") && summer.endsWith("T14:00:00+02:00")
    ? zones.ok(`Vienna is known, data of ${process.versions.tz ?? "the system"}.`)
    : zones.bad(
        "This Node.js does not know the time in Vienna; install one with full ICU data (the official builds).",
      );
}

export function megabytes(bytes: number): string {
  const mb = bytes / 1e6;
  return mb >= 1000 ? `${(mb / 1000).toFixed(1)} GB` : `${Math.round(mb)} MB`;
}
