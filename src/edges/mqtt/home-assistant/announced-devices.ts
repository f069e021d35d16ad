import type { Log } from "../../../core/log.js";
import { recordOf } from "../../../core/net/json.js";
import { isOneOf, isText } from "../../../core/shape.js";
import { SerialQueue } from "../../../core/work/serial-queue.js";
import type { DocumentArchive } from "../../../store/archive.js";
import { PLATFORMS, type Platform } from "./entity.js";

type Entities = ReadonlyMap<string, Platform>;

/** A device, or entities of one, that were removed while Home Assistant did not listen. */
export interface GoneDevice {
  plant: string;
  device: string;
  entities: Entities;
}

const DOCUMENT = "home-assistant-devices";
/** More are forgotten, the oldest first: Home Assistant may never come back. */
const MOST_GONE = 200;

interface Stored {
  announced: Record<string, Record<string, [key: string, platform: string][]>>;
  gone: { plant: string; device: string; entities: [key: string, platform: string][] }[];
}

/**
 * The devices announced to Home Assistant, with the platforms of their entities by key, stored so that a later run removes what is gone;
 * and those that are gone, until Home Assistant has been told.
 */
export class AnnouncedDevices {
  readonly #documents: DocumentArchive;
  readonly #log: Log;
  readonly #writes = new SerialQueue();
  readonly #announced = new Map<string, Map<string, Map<string, Platform>>>();
  /** Those of this run, by plant and device. */
  readonly #present = new Map<string, Entities>();
  #gone: GoneDevice[] = [];
  #isSaving = false;
  /** Home Assistant is connected, so it hears of a removal at once. */
  isHere = false;

  constructor(documents: DocumentArchive, log: Log) {
    this.#documents = documents;
    this.#log = log;
  }

  /** Restores what earlier runs announced. */
  async load(): Promise<void> {
    try {
      const { announced, gone } = recordOf(await this.#documents.get(DOCUMENT));
      for (const [plant, devices] of Object.entries(recordOf(announced)))
        for (const [device, entities] of Object.entries(recordOf(devices)))
          this.add(plant, device, platformsOf(entities));
      this.#gone = (Array.isArray(gone) ? gone : []).flatMap((one: unknown) => {
        const { plant, device, entities } = recordOf(one);
        return isText(plant) && isText(device) ? [{ plant, device, entities: platformsOf(entities) }] : [];
      });
    } catch (error) {
      this.#log.warn({ err: error }, "Earlier announcements to Home Assistant could not be read.");
    }
  }

  of(plant: string): ReadonlyMap<string, Entities> {
    return this.#announced.get(plant) ?? new Map();
  }

  all(): ReadonlyMap<string, ReadonlyMap<string, Entities>> {
    return this.#announced;
  }

  get hasGone(): boolean {
    return this.#gone.length > 0;
  }

  add(plant: string, device: string, entities: Iterable<readonly [key: string, platform: Platform]>): void {
    const devices = this.#announced.get(plant) ?? new Map<string, Map<string, Platform>>();
    this.#announced.set(plant, devices);
    const known = devices.get(device) ?? new Map<string, Platform>();
    devices.set(device, known);
    const before = this.#gone.length;
    this.#gone = this.#gone.filter((gone) => gone.plant !== plant || gone.device !== device);
    let hasChanged = this.#gone.length !== before;
    for (const [key, platform] of entities) {
      hasChanged ||= known.get(key) !== platform;
      known.set(key, platform);
    }
    if (hasChanged) this.#save();
  }

  /** `isTold`: Home Assistant is told when it comes back, should it be away. */
  remove(plant: string, device: string, { isTold }: { isTold: boolean }): void {
    const devices = this.#announced.get(plant);
    const entities = devices?.get(device);
    if (devices === undefined || entities === undefined) return;
    devices.delete(device);
    this.#present.delete(`${plant}/${device}`);
    if (devices.size === 0) this.#announced.delete(plant);
    if (isTold && !this.isHere) this.#gone = [...this.#gone, { plant, device, entities }].slice(-MOST_GONE);
    this.#save();
  }

  /** The present entities of a device; the others that it has had are removed with its announcement. */
  present(plant: string, device: string, entities: Entities): void {
    this.add(plant, device, entities);
    this.#present.set(`${plant}/${device}`, entities);
  }

  /** Entities of a device that it no longer has, which Home Assistant may still show. */
  left(plant: string, device: string): Entities {
    const present = this.#present.get(`${plant}/${device}`);
    const known = this.of(plant).get(device) ?? [];
    return new Map(present === undefined ? [] : [...known].filter(([key]) => !present.has(key)));
  }

  /** Home Assistant has received what is announced: entities that it has removed need not be listed any more. */
  settle(): void {
    for (const [plant, devices] of this.#announced)
      for (const device of devices.keys()) {
        const present = this.#present.get(`${plant}/${device}`);
        if (present !== undefined) devices.set(device, new Map(present));
      }
    this.#save();
  }

  /** The devices that are gone, which Home Assistant is now told. */
  takeGone(): readonly GoneDevice[] {
    const gone = this.#gone;
    if (gone.length === 0) return [];
    this.#gone = [];
    this.#save();
    return gone;
  }

  /** Resolves when everything is stored. */
  idle(): Promise<void> {
    return this.#writes.idle();
  }

  /** Stores all once what changes together has changed. */
  #save(): void {
    if (this.#isSaving) return;
    this.#isSaving = true;
    this.#writes
      .run(async () => {
        await Promise.resolve();
        this.#isSaving = false;
        await this.#documents.put(DOCUMENT, this.#stored());
      })
      .catch((error: unknown) =>
        this.#log.warn({ err: error }, "The announcements to Home Assistant could not be stored."),
      );
  }

  #stored(): Stored {
    return {
      announced: Object.fromEntries(
        [...this.#announced].map(([plant, devices]) => [
          plant,
          Object.fromEntries([...devices].map(([device, entities]) => [device, [...entities]])),
        ]),
      ),
      gone: this.#gone.map((device) => ({ ...device, entities: [...device.entities] })),
    };
  }
}

function platformsOf(stored: unknown): Map<string, Platform> {
  const isEntity = (one: unknown): one is [string, Platform] =>
    Array.isArray(one) && isText(one[0]) && isOneOf(PLATFORMS)(one[1]);
  return new Map(Array.isArray(stored) ? stored.filter(isEntity) : []);
}
