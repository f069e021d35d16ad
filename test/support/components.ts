import type { ComponentSentence } from "../../src/core/domain/component-sentence.js";
import type { HealthRegistry } from "../../src/core/health-registry.js";
import { componentText } from "../../src/texts/index.js";

/** A component with its detail in English, as `/v1/status` shows it; undefined when it has not reported. */
export function componentOf(components: Pick<HealthRegistry, "list">, wanted: string) {
  const found = components.list().find(({ name }) => name === wanted);
  return found && { ...found, detail: componentText(found.detail, "en") };
}

/** A detail whose English text is `message`. */
export function detailOf(message: string): ComponentSentence[] {
  return [{ code: "store_failed", message }];
}
