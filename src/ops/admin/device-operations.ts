import { SiteSettingsError } from "../../accounts/site-registry.js";
import { deviceDocument } from "../../api/documents/devices.js";
import { devicesSection } from "../../config/new-device.js";
import type { DeviceSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import { batteryModes } from "../../equipment/battery-modes.js";
import { ExpressionError } from "../../equipment/expression.js";
import { ActuatorInputError } from "../../equipment/input-error.js";
import { settingsOfFacts } from "../../equipment/reading/facts-settings.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import { deviceSettingsOf } from "./given-device.js";
import { AdminError, type AdminServices, adminOperation, name, siteOf, textField } from "./operation.js";

const given = { site: name, with: textField, id: name, reads: textField, controls: name } as const;

/** Commands for the devices that the gateway reads. */
export const deviceOperations = {
  "devices list": adminOperation({ optional: { site: name } }, async (services, { site }) => ({
    devices: running(services)
      .list(site)
      .map((one) => documentOf(services, one)),
  })),

  "devices read": readOperation(),

  "devices raw": readOperation(),

  "devices add": adminOperation(
    { required: { template: name }, optional: { ...given, live: { type: "boolean" } } },
    async (services, request) => {
      const site = siteOf(services, request.site);
      const settings = deviceSettingsOf(request, site.plant, running(services).templateOf(request.template));
      const seen = await tried(services, site, settings);
      if (
        request.controls !== undefined &&
        !seen.possibleControls.some((one) => one === request.controls?.replace(/ \d$/, ""))
      )
        throw new AdminError(
          seen.possibleControls.length === 0
            ? `The template "${settings.template}" only reads; leave out --controls.`
            : `The template "${settings.template}" controls ${seen.possibleControls.join(", ")}, not ${request.controls}.`,
        );
      const { serial = null } = seen.identity;
      const moved = movedDevice(services, site, { ...settings, serial });
      const { devices } = site.plant;
      const template = running(services).templateOf(settings.template);
      const modes =
        settings.controls === "battery" && template !== undefined
          ? batteryModes(template, settings.with)
          : [];
      const own = services.sites.settings(site.id).plant;
      const { plant: filled } = settingsOfFacts({ facts: seen.facts, modes }, site.plant, own);
      try {
        await services.sites.change(site.id, {
          plant: {
            ...devicesSection(
              moved === undefined
                ? [...devices, { ...settings, serial }]
                : devices.map((one) =>
                    one.id === moved.id ? { ...one, serial, with: { ...one.with, ...settings.with } } : one,
                  ),
            ),
            ...filled,
          },
        });
      } catch (error) {
        if (error instanceof SiteSettingsError) throw new AdminError(error.message);
        throw error;
      }
      await running(services).settled();
      const device = { ...documentOf(services, seen), id: moved?.id ?? seen.id };
      return { site: site.id, device, filled, moved: moved !== undefined };
    },
  ),
};

function readOperation() {
  return adminOperation(
    { required: { id: name }, optional: { site: name } },
    async (services, { id, site }) => {
      const siteId = siteOfDevice(services, id, site);
      return { device: documentOf(services, await running(services).read(siteId, id)) };
    },
  );
}

/** The device of a site that has this serial number and is not reached at its address any more. */
function movedDevice(services: AdminServices, { id, plant }: Site, added: DeviceSettings) {
  const views = running(services).list(id);
  return plant.devices.find((one) => {
    const view = views.find((other) => other.id === one.id);
    return (
      added.serial !== null &&
      one.template === added.template &&
      (one.serial ?? view?.identity.serial) === added.serial &&
      (view?.state === "unreachable" || view?.state === "misconfigured")
    );
  });
}

type Devices = NonNullable<AdminServices["devices"]>;

function running({ devices }: AdminServices): Devices {
  if (devices === undefined) throw new AdminError("No gateway is running; start it to use its devices.");
  return devices;
}

async function tried(services: AdminServices, site: Site, settings: DeviceSettings) {
  try {
    const devices = running(services);
    const view = await devices.preview(site, settings);
    return { ...view, possibleControls: devices.templateOf(settings.template)?.controls ?? [] };
  } catch (error) {
    if (error instanceof ActuatorInputError || error instanceof ExpressionError)
      throw new AdminError(error.message);
    throw error;
  }
}

/** The site of a device; it need not be given when only one site has a device of that id. */
function siteOfDevice(services: AdminServices, id: string, site: string | undefined): string {
  const all = running(services).list(site);
  const [first, ...more] = all.filter((one) => one.id === id);
  if (first === undefined)
    throw new AdminError(
      `There is no device "${id}"; there are ${all.map((one) => `${one.siteId}/${one.id}`).join(", ") || "none"}.`,
    );
  if (more.length > 0)
    throw new AdminError(`Several sites have a device "${id}"; name the site with --site.`);
  return first.siteId;
}

function documentOf({ sites, now }: Pick<AdminServices, "sites"> & { now?: () => Date }, view: DeviceView) {
  const zone = sites.get(view.siteId)?.plant.timezone ?? "Europe/Vienna";
  return { site: view.siteId, ...deviceDocument(view, { now: now?.() ?? new Date(), zone }) };
}
