import { isDeepStrictEqual } from "node:util";
import type { SiteRegistry } from "../../accounts/site-registry.js";
import type { PlantSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import { defaultPlant } from "../../equipment/reading/facts-settings.js";
import { START_PATH } from "./page.js";
import type { StepId, WizardProgress } from "./progress.js";

type Sites = Pick<SiteRegistry, "settings" | "isConfigured">;

/** The sections of the plant that a step sets. */
const SECTIONS: Readonly<Partial<Record<StepId, readonly (keyof PlantSettings)[]>>> = {
  place: ["latitude"],
  find: ["devices"],
  tariff: ["tariff"],
  load: ["load"],
  battery: ["battery", "batteries"],
  pv: ["pv"],
  devices: ["slots"],
};

/** Whether what a step sets is in the portal's settings or in the configuration file. */
export function isTouched(sites: Sites, site: Site, step: StepId): boolean {
  const sections = SECTIONS[step] ?? [];
  const { plant } = sites.settings(site.id);
  if (sections.some((section) => Object.hasOwn(plant, section))) return true;
  const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
  return (
    sites.isConfigured(site.id) &&
    sections.some((section) => {
      const value = site.plant[section];
      return !isEmpty(value) && !isDeepStrictEqual(value, defaultPlant()[section]);
    })
  );
}

/**
 * Where an account is led after its sign-in: to the wizard, once, while its only site is neither in the configuration file
 * nor set up in the portal. Undefined: to the page that was asked for. Throws StoreError.
 */
export async function landingOf(
  accountId: string,
  { sites, progress }: { sites: Sites & Pick<SiteRegistry, "of">; progress: WizardProgress },
): Promise<string | undefined> {
  const [site, second] = sites.of(accountId);
  if (site === undefined || second !== undefined) return undefined;
  const { plant, telemetry } = sites.settings(site.id);
  const isSetUp = Object.keys(plant).some((key) => key !== "name") || telemetry !== null;
  const isInFile = sites.isConfigured(site.id) && !isDeepStrictEqual(site.plant, defaultPlant());
  if (isSetUp || isInFile || (await progress.find(site.id)) !== undefined) return undefined;
  await progress.open(site.id);
  return START_PATH;
}
