import { reachOfAddress } from "../../core/net/address.js";
import type { Clock } from "../../core/time/clock.js";
import type { ActuatorTemplate } from "../template.js";
import type { TransportSources } from "../transport/create.js";
import { SPEEDWIRE } from "../transport/speedwire.js";
import { type FoundDevice, foundDevices, isGeneric, isProven, type Seen } from "./found.js";
import { lookAt } from "./look.js";
import { probeHttp } from "./network/http-probe.js";
import { probeModbus, speaksModbus } from "./network/modbus-probe.js";
import { endingAfter, pause } from "./network/pause.js";
import { isListening } from "./network/ports.js";
import { probeRct } from "./network/rct-probe.js";
import { announced } from "./network/services.js";
import { privateSubnets } from "./network/subnets.js";
import { TextAsker } from "./network/text-asker.js";
import { type Candidate, candidateOf, type Probes, portsOf, probesOf } from "./probes.js";
import { isExcluded, parseTargets, type SearchTarget } from "./targets.js";

export interface FindOptions {
  /** Addresses, addresses with ports and subnets; none: the own private subnets. */
  targets?: readonly string[];
  exclude?: readonly string[];
  signal?: AbortSignal;
  onProgress?(progress: SearchProgress): void;
}

export interface SearchProgress {
  looked_at: number;
  /** Hosts to look at. */
  of: number;
  found: readonly FoundDevice[];
}

export interface FindResult {
  found: FoundDevice[];
  /** Hosts. */
  looked_at: number;
  ms: number;
}

export interface DeviceFinderOptions {
  templates(): Promise<readonly ActuatorTemplate[]>;
  /** How devices are read at a first look; they are reached within the private network only. */
  sources: TransportSources;
  clock: Clock;
  /** Hosts of devices that are read already; they are left alone unless they are stated, since many take one connection only. */
  readHosts?(): readonly string[];
}

/** Hosts at a time. */
const HOSTS_AT_A_TIME = 32;
/** The whole search takes no longer. */
const LIMIT_MS = 58_000;
/** Meters send once a second; announcements take a moment. */
const LISTEN_MS = 3_000;
/** KEBA answers there. */
const ANSWER_PORT = 7_090;

/** Looks for devices in the home network. It reads only, and tries no password. */
export class DeviceFinder {
  readonly #options: DeviceFinderOptions;

  constructor(options: DeviceFinderOptions) {
    this.#options = options;
  }

  /** Throws TargetError. Ends early, with what was found, when the signal aborts. */
  async find({
    targets = [],
    exclude = [],
    signal,
    onProgress = () => {},
  }: FindOptions = {}): Promise<FindResult> {
    const all = parseTargets(targets, { exclude, ownSubnets: privateSubnets() });
    const known = new Set(this.#options.readHosts?.() ?? []);
    const hosts = all.filter(
      ({ host }) => !known.has(host) || targets.some((one) => one.split(":")[0] === host),
    );
    const probes = probesOf(await this.#options.templates());
    const search = new Search(this.#options, probes, endingAfter(LIMIT_MS, signal));
    return search.run(hosts, {
      isOpen: targets.length === 0,
      mayLookAt: (host) => !known.has(host) && !isExcluded(host, exclude),
      onProgress,
    });
  }
}

interface SearchRules {
  /** Announcements and meters are heard, too. */
  isOpen: boolean;
  mayLookAt(host: string): boolean;
  onProgress(progress: SearchProgress): void;
}

class Search {
  readonly #options: DeviceFinderOptions;
  readonly #signal: AbortSignal;
  readonly #probes: Probes;
  readonly #tcpPorts: readonly number[];
  readonly #seen: Seen[] = [];
  #lookedAt = 0;

  constructor(options: DeviceFinderOptions, probes: Probes, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#probes = probes;
    this.#tcpPorts = portsOf([...this.#probes.http, ...this.#probes.modbus, ...this.#probes.rct]);
  }

  async run(
    targets: readonly SearchTarget[],
    { isOpen, mayLookAt, onProgress }: SearchRules,
  ): Promise<FindResult> {
    const beganMs = performance.now();
    const asker = await TextAsker.open(ANSWER_PORT);
    const done = new Set(targets.map(({ host }) => host));
    let of = targets.length;
    const report = () => onProgress({ looked_at: this.#lookedAt, of, found: foundDevices(this.#seen) });
    const lookAll = (list: readonly SearchTarget[]) =>
      inTurns(list, HOSTS_AT_A_TIME, async (target) => {
        if (this.#signal.aborted) return;
        await this.#lookAtHost(target, asker);
        this.#lookedAt++;
        report();
      });
    try {
      const heard = isOpen ? announced(this.#probes.services, LISTEN_MS, this.#signal) : [];
      const meters = isOpen ? this.#meters() : undefined;
      await lookAll(targets);
      await meters;
      const more = (await heard).filter(
        ({ host, port }) =>
          reachOfAddress(host) === "private" &&
          mayLookAt(host) &&
          !(done.has(host) && this.#tcpPorts.includes(port)),
      );
      of += more.length;
      await lookAll(more);
    } finally {
      asker.close();
    }
    return {
      found: foundDevices(this.#seen),
      looked_at: this.#lookedAt,
      ms: Math.round(performance.now() - beganMs),
    };
  }

  async #lookAtHost({ host, port }: SearchTarget, asker: TextAsker): Promise<void> {
    const [byTcp, byText, byDatagram] = await Promise.all([
      this.#overTcp(host, port),
      this.#overTexts(host, port, asker),
      this.#overDatagrams(host, port),
    ]);
    const all = [...byTcp, ...byText, ...byDatagram];
    const named = all.filter(({ template }) => !isGeneric(template));
    // One conversation at a time with a device.
    for (const candidate of named.length > 0 ? named : all) await this.#see(host, candidate);
  }

  async #see(host: string, candidate: Candidate): Promise<void> {
    if (this.#signal.aborted) return;
    const { template, with: parameters } = candidate;
    const look = await lookAt({
      sources: this.#options.sources,
      siteId: "",
      template,
      with: parameters,
      clock: this.#options.clock,
      signal: this.#signal,
    });
    const seen = { host, candidate, look };
    if (isProven(seen)) this.#seen.push(seen);
  }

  async #overTcp(host: string, port: number | undefined): Promise<Candidate[]> {
    const ports = port === undefined ? this.#tcpPorts : [port];
    const open = await Promise.all(ports.map(async (one) => ((await isListening(host, one)) ? [one] : [])));
    const found: Candidate[] = [];
    for (const one of open.flat()) {
      if (this.#signal.aborted) break;
      found.push(...(await this.#atPort({ host, port: one }, port !== undefined)));
    }
    return found;
  }

  /** `isAny`: the port was stated, so that every tell-tale is tried there. */
  async #atPort(place: { host: string; port: number }, isAny: boolean): Promise<Candidate[]> {
    const own = (probes: Probes["http"]) =>
      isAny ? probes : probes.filter(({ ports }) => ports.includes(place.port));
    const [http, modbus, rct] = [own(this.#probes.http), own(this.#probes.modbus), own(this.#probes.rct)];
    if (!isAny) {
      const overRct = await probeRct(place, rct, this.#signal);
      if (overRct.length > 0) return overRct;
      const overModbus = modbus.length > 0 ? await probeModbus(place, modbus, this.#signal) : undefined;
      return overModbus?.isModbus === true ? overModbus.candidates : probeHttp(place, http, this.#signal);
    }
    if (await speaksModbus(place, modbus, this.#signal))
      return (await probeModbus(place, modbus, this.#signal)).candidates;
    const overHttp = await probeHttp(place, http, this.#signal);
    if (overHttp.length > 0) return overHttp;
    const overModbus = (await probeModbus(place, modbus, this.#signal)).candidates;
    return overModbus.length > 0 ? overModbus : probeRct(place, rct, this.#signal);
  }

  async #overTexts(host: string, port: number | undefined, asker: TextAsker): Promise<Candidate[]> {
    for (const probe of this.#probes.texts) {
      const found = await asker.ask(host, port ?? probe.ports[0]!, probe);
      if (found !== undefined) return [found];
    }
    return [];
  }

  async #overDatagrams(host: string, port: number | undefined): Promise<Candidate[]> {
    const probes = this.#probes.datagrams;
    if (probes.length === 0) return [];
    const place = { host, port: port ?? probes[0]!.ports[0]!, framing: "udp" as const };
    return (await probeModbus(place, probes, this.#signal)).candidates;
  }

  /** Meters that send by themselves. */
  async #meters(): Promise<void> {
    for (const probe of this.#probes.groups) {
      const { connection: listener, release } = this.#options.sources.addresses.speedwire({
        now: () => this.#options.clock.now().getTime(),
        group: probe.detect.udp?.group ?? SPEEDWIRE.group,
        port: probe.ports[0] ?? SPEEDWIRE.port,
      });
      try {
        await pause(LISTEN_MS, this.#signal);
        for (const value of listener.serials())
          await this.#see(
            "",
            candidateOf(probe, { host: "", port: probe.ports[0] ?? SPEEDWIRE.port, value }),
          );
      } finally {
        release();
      }
    }
  }
}

/** Works on a list, on so many at a time. */
async function inTurns<Item>(
  list: readonly Item[],
  atATime: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = list[Symbol.iterator]();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atATime, list.length) }, worker));
}
