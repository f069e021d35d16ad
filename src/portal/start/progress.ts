import type { DocumentArchive } from "../../store/archive.js";

/** The steps of the wizard in order; `plan` shows the result. */
export const STEPS = [
  "place",
  "find",
  "tariff",
  "battery",
  "pv",
  "devices",
  "soc",
  "connection",
  "plan",
] as const;

export type StepId = (typeof STEPS)[number];

/** What was typed in the fields of a step. */
export type Values = Readonly<Record<string, string>>;

/** How far the wizard of a site has come. */
export interface WizardState {
  /** The step to continue with. */
  next: StepId;
  done: readonly StepId[];
  skipped: readonly StepId[];
  values: Readonly<Partial<Record<StepId, Values>>>;
}

const NOTHING: WizardState = { next: "place", done: [], skipped: [], values: {} };

/** The step of a name; undefined for any other text. */
export function stepNamed(name: string | null): StepId | undefined {
  return STEPS.find((step) => step === name);
}

/** The step after another; the last one is followed by itself. */
export function stepAfter(step: StepId): StepId {
  return STEPS[Math.min(STEPS.indexOf(step) + 1, STEPS.length - 1)]!;
}

/** The stored progress of the wizard, by site. */
export class WizardProgress {
  readonly #documents: DocumentArchive;

  constructor(documents: DocumentArchive) {
    this.#documents = documents;
  }

  /** The progress of a site; undefined before the wizard was opened. Throws StoreError. */
  async find(siteId: string): Promise<WizardState | undefined> {
    const kept = (await this.#documents.get(nameOf(siteId))) as WizardState | undefined;
    // Steps of other versions are dropped.
    return kept && { ...NOTHING, ...kept, next: stepNamed(kept.next) ?? NOTHING.next };
  }

  async get(siteId: string): Promise<WizardState> {
    return (await this.find(siteId)) ?? NOTHING;
  }

  /** Keeps that the wizard was opened. Throws StoreError. */
  open(siteId: string): Promise<void> {
    return this.#documents.put(nameOf(siteId), NOTHING);
  }

  /** Keeps that a step is done, with what was typed, or skipped. Throws StoreError. */
  async leave(siteId: string, step: StepId, how: { values: Values } | "skipped"): Promise<void> {
    const { done, skipped, values } = await this.get(siteId);
    const without = (steps: readonly StepId[]) => steps.filter((one) => one !== step);
    const progress: WizardState =
      how === "skipped"
        ? { next: stepAfter(step), done, skipped: [...without(skipped), step], values }
        : {
            next: stepAfter(step),
            done: [...without(done), step],
            skipped: without(skipped),
            values: { ...values, [step]: how.values },
          };
    await this.#documents.put(nameOf(siteId), progress);
  }

  /** Removes what is stored of a site. Throws StoreError. */
  forget(siteId: string): Promise<void> {
    return this.#documents.put(nameOf(siteId), null);
  }
}

const nameOf = (siteId: string) => `portal/start/${siteId}`;
