import { setTimeout as wait } from "node:timers/promises";
import type { WhatIfDocument } from "../../api/documents/what-if.js";
import type { Document } from "../../api/operation.js";
import { whatIfQuestion } from "../../api/what-if.js";
import { formatOf } from "../../texts/format.js";
import { type RunOperation, type Tool, tool } from "./tool.js";

export interface WhatIfToolOptions {
  /** GET and POST /v1/plant/what-if. */
  whatIf: { read: RunOperation; ask: RunOperation };
}

/** A month takes seconds: its answer is waited for, looked for this often. */
const WAIT_MS = 8000;
const LOOK_MS = 200;

interface Answers extends Document {
  status: "idle" | "running" | "failed";
  progress_pct: number | null;
  results: WhatIfDocument["results"];
}

const { number } = formatOf("en", "UTC");

/** What the past would have cost with a change of the home. */
export function whatIfTool({ whatIf }: WhatIfToolOptions): Tool {
  return tool({
    name: "what_if",
    title: "What if",
    description:
      "What a past month or the last year would have cost with another battery, more PV, another tariff, without the car or with a heat pump, in EUR. A month takes seconds, a year up to a minute: while it is computed, call again without arguments. Without arguments: the answers that are kept.",
    schema: whatIfQuestion,
    isReadOnly: true,
    run: async (question: Record<string, unknown>, caller) => {
      const isAsked = Object.keys(question).length > 0;
      const first = await (isAsked ? whatIf.ask(question, caller) : whatIf.read({}, caller));
      let { access: _, ...document } = first as Answers;
      const endMs = performance.now() + WAIT_MS;
      while (isAsked && document.status === "running" && performance.now() < endMs) {
        await wait(LOOK_MS);
        ({ access: _, ...document } = (await whatIf.read({}, caller)) as Answers);
      }
      return { document, text: textOf(document as Answers) };
    },
  });
}

function textOf({ status, progress_pct, results }: Answers): string {
  if (status === "running")
    return `It is being computed (${progress_pct} %): call what_if without arguments for the answer.`;
  if (status === "failed") return "It could not be computed: prices of that time are missing, or it failed.";
  const last = results.at(-1);
  if (last === undefined) return "Nothing has been asked yet.";
  const cost = `From ${last.from} to ${last.to} it would have cost ${number(last.changed_eur)} €`;
  if (last.saved_eur === null)
    return `${cost} with the cheapest of these suppliers. The home has no tariff of its own to compare that with: set it in the portal, under My home.`;
  const difference = `${number(Math.abs(last.saved_eur))} € ${last.saved_eur < 0 ? "more" : "less"}`;
  return `${cost} instead of ${number(last.cost_eur)} €: ${difference}.`;
}
