import { lookup } from "node:dns";
import { DeviceError } from "../../command.js";
import { REGISTER_TYPES, type RegisterType } from "../../reading/reading-schema.js";
import { decodeRegisters, WORDS } from "../../reading/registers.js";
import { pointOf, SUNSPEC_BASES, type SunSpecModel } from "../../reading/sunspec.js";
import { SunSpecWalk } from "../../reading/sunspec-walk.js";
import { ModbusConnection } from "../../transport/modbus-connection.js";
import { type Framing, ModbusException } from "../../transport/modbus-frames.js";
import { type Candidate, candidateOf, type Detect, fits, listOf, type Probe } from "../probes.js";

/** The likely units first: each one that is missing may cost a time-out behind a serial gateway. */
const UNITS = [1, 247, 3, 71, 200, 126, 255, 100, 0, 2, 240, 201];
/** Some devices take a second and a half for each answer. */
const TIMEOUT_MS = 2_000;
/** UDP requests go to every host, because an open UDP port cannot be detected. */
const DATAGRAM_TIMEOUT_MS = 1_000;
const MOST_REGISTERS = 100;
/** Units that may be silent once a device has been found. */
const SILENT_AFTER_FOUND = 1;

export interface ModbusPlace {
  host: string;
  port: number;
  framing?: Framing;
}

export interface ModbusFound {
  candidates: Candidate[];
  /** Something answered in the language of Modbus. */
  isModbus: boolean;
}

/** Whether a port speaks Modbus: the first unit answers. Never rejects. */
export async function speaksModbus(
  place: ModbusPlace,
  probes: readonly Probe[],
  signal: AbortSignal,
): Promise<boolean> {
  const [unit = 1] = unitsOf(probes);
  const own = probes.filter(({ detect }) => listOf(detect.unit_id ?? 1).includes(unit)).slice(0, 1);
  const alone = own.map((one) => ({ ...one, detect: { ...one.detect, unit_id: unit } }));
  return (await tryUnits(place, alone, 0, signal)).isModbus;
}

/** Reads the tell-tales of Modbus devices over one connection, which is closed at once. Never rejects, never writes. */
export async function probeModbus(
  place: ModbusPlace,
  probes: readonly Probe[],
  signal: AbortSignal,
): Promise<ModbusFound> {
  const first = await tryUnits(place, probes, 0, signal);
  if (first.isModbus || first.isRefused) return first;
  // Some devices ignore what comes right after the connection.
  const late = probes.filter(({ detect }) => detect.connect_delay_ms !== undefined);
  if (late.length === 0 || signal.aborted || place.framing === "udp") return first;
  return tryUnits(place, late, Math.max(...late.map(({ detect }) => detect.connect_delay_ms!)), signal);
}

async function tryUnits(
  { host, port, framing = "tcp" }: ModbusPlace,
  probes: readonly Probe[],
  connectDelayMs: number,
  signal: AbortSignal,
): Promise<ModbusFound & { isRefused: boolean }> {
  const connection = new ModbusConnection({
    host,
    port,
    udpPort: 0,
    framings: [framing],
    connectDelayMs,
    pauseMs: 0,
    timeoutMs: framing === "udp" ? DATAGRAM_TIMEOUT_MS : TIMEOUT_MS,
    serial: { baud: 9_600, parity: "none" },
    lookup,
  });
  const found = { candidates: [] as Candidate[], isModbus: false, isRefused: false };
  const stop = () => connection.stop();
  signal.addEventListener("abort", stop, { once: true });
  let silent = 0;
  try {
    for (const unit of unitsOf(probes)) {
      if (signal.aborted || (found.candidates.length > 0 && silent > SILENT_AFTER_FOUND)) break;
      const own = probes.filter(({ detect }) => listOf(detect.unit_id ?? 1).includes(unit));
      const reader = new UnitReader(connection, unit);
      found.candidates.push(...(await candidatesAt(reader, own, { host, port, unit })));
      found.isModbus ||= reader.hasAnswered;
      if (reader.isRefused) {
        found.isRefused = !found.isModbus;
        break;
      }
      if (reader.isSilent) silent++;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    connection.stop();
  }
  return found;
}

function unitsOf(probes: readonly Probe[]): number[] {
  const wanted = new Set(probes.flatMap(({ detect }) => listOf(detect.unit_id ?? 1)));
  return [
    ...UNITS.filter((unit) => wanted.has(unit)),
    ...[...wanted].filter((unit) => !UNITS.includes(unit)),
  ];
}

async function candidatesAt(
  reader: UnitReader,
  probes: readonly Probe[],
  place: { host: string; port: number; unit: number },
): Promise<Candidate[]> {
  const found = new Map<string, Candidate>();
  for (const probe of probes) {
    if (reader.isSilent || reader.isRefused) break;
    if (found.has(probe.template.id)) continue;
    const value =
      probe.detect.sunspec === undefined ? await reader.value(probe) : await reader.sunspec(probe);
    if (value !== undefined && fits(probe.detect, value) && (await reader.hasAll(probe)))
      found.set(probe.template.id, candidateOf(probe, { ...place, value }));
  }
  const all = [...found.values()];
  // A device that says who it is, is no other one that has plausible numbers at the same registers.
  const named = all.filter(({ isNamed }) => isNamed);
  return named.length > 0 ? named : all;
}

type RegisterTell = Pick<Detect, "holding" | "input" | "words" | "type" | "order" | "scale">;

/** Reads of one unit; what was read is not read again. */
class UnitReader {
  hasAnswered = false;
  isSilent = false;
  isRefused = false;
  readonly #connection: ModbusConnection;
  readonly #unit: number;
  readonly #known = new Map<string, readonly number[] | undefined>();
  #models: Promise<readonly SunSpecModel[] | undefined> | undefined;

  constructor(connection: ModbusConnection, unit: number) {
    this.#connection = connection;
    this.#unit = unit;
  }

  /** The value of a tell-tale with a register; undefined if there is none. Zeros prove nothing. */
  async value({ detect }: Probe): Promise<string | undefined> {
    return this.#value(detect, false);
  }

  /** Whether all further registers of a tell-tale are as it says. */
  async hasAll({ detect: { and = [] } }: Probe): Promise<boolean> {
    for (const one of and) {
      const value = await this.#value(one, true);
      if (value === undefined || !fits(one, value)) return false;
    }
    return true;
  }

  async #value(place: RegisterTell, mayBeZero: boolean): Promise<string | undefined> {
    const type = REGISTER_TYPES.find((one) => one === place.type) ?? "u16";
    const count = place.words ?? WORDS[type];
    const address = place.holding ?? place.input!;
    const words = await this.#read(place.holding === undefined ? 4 : 3, address, count);
    // Neither does the address as value.
    if (words === undefined || (count === 1 && words[0] === address)) return undefined;
    if (!mayBeZero && words.every((word) => word === 0)) return undefined;
    const value = decoded(words, type, place.order !== "le");
    return typeof value === "number" ? String(value * (place.scale ?? 1)) : value;
  }

  /** The model of a SunSpec device that fits; undefined if none does. */
  async sunspec({ detect: { sunspec } }: Probe): Promise<string | undefined> {
    this.#models ??= this.#walked();
    const models = await this.#models;
    if (models === undefined || sunspec === undefined) return undefined;
    if (sunspec.models !== undefined && !models.some(({ id }) => sunspec.models!.includes(id)))
      return undefined;
    const manufacturer = await this.#text(models, "Mn");
    const model = await this.#text(models, "Md");
    const isIt = (pattern: string | undefined, text: string) =>
      pattern === undefined || new RegExp(pattern).test(text);
    if (!isIt(sunspec.manufacturer, manufacturer) || !isIt(sunspec.model, model)) return undefined;
    return `${manufacturer} ${model}`.trim() || "SunSpec";
  }

  async #walked(): Promise<readonly SunSpecModel[] | undefined> {
    const walk = new SunSpecWalk((address, count) => this.#read(3, address, count), MOST_REGISTERS);
    const map = await walk.find(SUNSPEC_BASES);
    if (map !== undefined) await walk.follow(map);
    return map?.models;
  }

  async #text(models: readonly SunSpecModel[], point: string): Promise<string> {
    const common = models.find(({ id }) => id === 1);
    const place = common && pointOf(common, point);
    if (common === undefined || place === undefined) return "";
    const words = await this.#read(3, common.address + place.offset, place.words);
    return words === undefined ? "" : String(decoded(words, "string", true) ?? "");
  }

  async #read(fc: 3 | 4, address: number, count: number): Promise<readonly number[] | undefined> {
    const key = `${fc} ${address} ${count}`;
    if (this.#known.has(key)) return this.#known.get(key);
    if (this.isSilent || this.isRefused) return undefined;
    let words: readonly number[] | undefined;
    try {
      words = await this.#connection.read(this.#unit, fc, address, count);
      this.hasAnswered = true;
    } catch (error) {
      if (error instanceof ModbusException) {
        this.hasAnswered = true;
        // The unit is absent behind a gateway.
        if (error.code >= 10) this.isSilent = true;
      } else if (error instanceof DeviceError && error.fault === "timeout") this.isSilent = true;
      else this.isRefused = true;
    }
    this.#known.set(key, words);
    return words;
  }
}

function decoded(
  words: readonly number[],
  type: RegisterType,
  isHighFirst: boolean,
): number | string | undefined {
  return decodeRegisters(words, { type, words: words.length, isHighFirst, swapsBytes: false }, []).value;
}
