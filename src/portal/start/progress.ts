import { isRecord } from "../../core/net/json.js";
import type { DocumentArchive } from "../../store/archive.js";

/** The steps of the wizard in order; `plan` shows the result. */
export const STEPS = ["place", "find", "tariff", "load", "plan"] as const;

/** What the plan may still need: questions of their own, which lead back to the plan. */
export const MORE_STEPS = ["battery", "pv", "devices", "soc"] as const;

export type StepId = (typeof STEPS)[number] | (typeof MORE_STEPS)[number];

/** How far the wizard of a site has come. */
export interface WizardState {
  /** The step to continue with. */
  next: StepId;
  done: readonly StepId[];
  skipped: readonly StepId[];
}

const NOTHING: WizardState = { next: "place", done: [], skipped: [] };

/** The step of a name; undefined for any other text. */
export function stepNamed(name: string | null): StepId | undefined {
  return [...STEPS, ...MORE_STEPS].find((step) => step === name);
}

/** The step after another: the plan after the last one, after itself, and after what it needs. */
export function stepAfter(step: StepId): StepId {
  const before = STEPS.slice(0, -1);
  return STEPS.find((_, index) => before[index - 1] === step) ?? "plan";
}

/** The stored progress of the wizard, by site. */
export class WizardProgress {
  readonly #documents: DocumentArchive;

  constructor(documents: DocumentArchive) {
    this.#documents = documents;
  }

  /** The progress of a site; undefined before the wizard was opened. Throws StoreError. */
  async find(siteId: string): Promise<WizardState | undefined> {
    const kept = await this.#documents.get(nameOf(siteId));
    if (!isRecord(kept)) return undefined;
    // Steps of other versions are dropped.
    const steps = (list: unknown) =>
      (Array.isArray(list) ? list : []).flatMap((one: unknown) => stepNamed(String(one)) ?? []);
    return {
      next: stepNamed(String(kept.next)) ?? NOTHING.next,
      done: steps(kept.done),
      skipped: steps(kept.skipped),
    };
  }

  async get(siteId: string): Promise<WizardState> {
    return (await this.find(siteId)) ?? NOTHING;
  }

  /** Keeps that the wizard was opened. Throws StoreError. */
  open(siteId: string): Promise<void> {
    return this.#documents.put(nameOf(siteId), NOTHING);
  }

  /** Keeps that a step is done or skipped. Throws StoreError. */
  async leave(siteId: string, step: StepId, how: "done" | "skipped"): Promise<void> {
    const kept = await this.get(siteId);
    const without = (steps: readonly StepId[]) => steps.filter((one) => one !== step);
    const state = { next: stepAfter(step), done: without(kept.done), skipped: without(kept.skipped) };
    await this.#documents.put(nameOf(siteId), { ...state, [how]: [...state[how], step] });
  }

  /** Removes what is stored of a site. Throws StoreError. */
  forget(siteId: string): Promise<void> {
    return this.#documents.put(nameOf(siteId), null);
  }
}

const nameOf = (siteId: string) => `portal/start/${siteId}`;
