import { SiteSettingsError } from "../../accounts/site-registry.js";
import { applyPresets } from "../../tariff/apply-presets.js";
import { PresetError, presetChoice } from "../../tariff/presets.js";
import { TariffError } from "../../tariff/tariff.js";
import { AdminError, type AdminServices, adminOperation, name, siteOf } from "./operation.js";

interface ApplyRequest {
  /** Names of presets, with commas between them. */
  presets: string;
  site?: string;
  /** Without quarter-hour values read by the operator. */
  no_summer_low?: boolean;
}

const fields = {
  required: { presets: name },
  optional: { site: name, no_summer_low: { type: "boolean" } },
} as const;

/** Commands about the tariff of a site. */
export const tariffOperations = {
  "tariff preview": adminOperation(fields, async (services, request) => applied(services, request)),

  "tariff apply": adminOperation(fields, async (services, request) => {
    const document = applied(services, request);
    try {
      await services.sites.change(document.site, { plant: { tariff: document.tariff } });
    } catch (error) {
      if (error instanceof SiteSettingsError) throw new AdminError(error.message);
      throw error;
    }
    return document;
  }),
};

function applied(services: AdminServices, { presets, site: id, no_summer_low: noSummerLow }: ApplyRequest) {
  const site = siteOf(services, id);
  try {
    const choice = { ...presetChoice(presets.split(",")), summerLow: noSummerLow !== true };
    const { tariff, applied, kept } = applyPresets(site.plant.tariff, choice);
    return {
      site: site.id,
      tariff,
      applied: applied.map(({ part, value, source }) => ({
        part,
        value,
        preset: source.id,
        as_of: source.asOf,
        ...(source.checked !== undefined && { checked: source.checked }),
      })),
      kept,
    };
  } catch (error) {
    if (error instanceof PresetError || error instanceof TariffError) throw new AdminError(error.message);
    throw error;
  }
}
