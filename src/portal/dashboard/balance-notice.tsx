import type { ComponentHealth } from "../../core/health-registry.js";
import { componentText, textsOf } from "../../texts/index.js";
import { FormButton } from "../ui/form.js";
import type { PartProps } from "./view.js";

/** Name of the component that says whether the readings of a site add up. */
export function balanceComponent(siteId: string): string {
  return `balance ${siteId}`;
}

/** The setting that the comparison of the readings proposes, as slots; undefined: none. */
export function proposedLoadWithout(
  components: readonly ComponentHealth[],
  siteId: string,
): number[] | undefined {
  const health = components.find(({ name }) => name === balanceComponent(siteId));
  for (const sentence of health?.detail ?? [])
    if (sentence.code === "load_contains") return sentence.setting.match(/\d+/g)?.map(Number) ?? [];
  return undefined;
}

/** That the readings do not add up, and a button for the setting that fits. */
export function BalanceNotice({ house, format }: PartProps) {
  const health = house.components.find(({ name }) => name === balanceComponent(house.site.id));
  if (health === undefined || health.state === "ok") return null;
  const isProposed = proposedLoadWithout(house.components, house.site.id) !== undefined;
  return (
    <>
      {health.detail.map((sentence) => (
        <p key={sentence.code}>{componentText([sentence], format.language)}</p>
      ))}
      {isProposed && (
        <FormButton context={house} action="/dashboard/load-without" kind="plain">
          {textsOf(format.language).dashboard.applyProposal}
        </FormButton>
      )}
    </>
  );
}
