import type { SettingsHistory } from "../../accounts/settings-history.js";
import type { Services } from "../../api/services.js";
import type { ActuatorSettings, DeviceSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import { commandedName } from "../../equipment/commanded-name.js";
import type { ActuatorService } from "../../equipment/service.js";
import type { LedgerService } from "../../money/ledger/service.js";
import type { Page, SignedInContext } from "../context.js";
import type { RecentReadingsReader } from "../dashboard/recent-readings.js";
import { RunCosts } from "../dashboard/run-costs.js";
import { type DashboardView, viewOf } from "../dashboard/view.js";
import { accountPage, sitePage, titledPage } from "../page.js";
import { addPages } from "./add-pages.js";
import { DeviceCards } from "./cards.js";
import { type CheckPagesOptions, checkPages } from "./check-pages.js";
import { DeviceDrafts } from "./drafts.js";
import { findPages } from "./find-pages.js";
import { DEVICES_PATH } from "./labels.js";
import { ListPage } from "./list-page.js";
import type { DeviceSearches } from "./searches.js";
import { type SiteEquipment, shownActuators, shownDevices } from "./shown-device.js";

/** Services that the pages "Devices" use. */
export interface DevicePagesOptions {
  services: Parameters<typeof viewOf>[0] & Pick<Services, "flex" | "devicePlans">;
  savings: Pick<LedgerService, "now">;
  /** What was measured today. */
  recent: Pick<RecentReadingsReader, "of">;
  actuators: CheckPagesOptions["actuators"] & Pick<ActuatorService, "list" | "detected" | "templates">;
  devices: CheckPagesOptions["devices"];
  sites: CheckPagesOptions["sites"];
  searches: DeviceSearches;
  /** Throws StoreError. */
  history: CheckPagesOptions["history"] & Pick<SettingsHistory, "list">;
}

/** Addresses of former versions. */
const FORMER = ["", "/new", "/edit", "/device"];

/** The list of all devices of a site, and the data of its open page. */
export function devicePages(options: DevicePagesOptions): Page[] {
  const { services, actuators, devices, history, savings } = options;
  const drafts = new DeviceDrafts();
  const runCosts = new RunCosts(services);
  const template = (id: string) => actuators.templates().get(id);

  const shownOf = async ({ language, csrfToken }: SignedInContext, site: Site) => {
    const house: DashboardView = {
      ...viewOf(services, site),
      energy: (await options.recent.of(site, services.clock.now())).days,
      runCosts: await runCosts.of(site),
      savings: savings.now(site.id),
      csrfToken,
      page: "devices",
    };
    const equipment: SiteEquipment = {
      actuators: shownActuators(site, { actuators, language }),
      views: devices.list(site.id),
      slots: house.slots,
      template,
    };
    return { house, devices: shownDevices(site, equipment, language) };
  };

  return [
    titledPage(({ devicePages: { title } }) => title).get(DEVICES_PATH, async (context, site) => {
      const { language } = context;
      const detected = actuators.detected(site).flatMap((device) => {
        const found = template(device.template);
        return found === undefined ? [] : [{ device, template: found }];
      });
      const last = (await history.list(site.id)).find(({ keys }) =>
        keys.some((key) => key === "actuators" || key === "devices"),
      );
      const nameOf = (one: ActuatorSettings | DeviceSettings) =>
        "name" in one
          ? (one.name ?? template(one.template)?.name[language] ?? one.id)
          : commandedName(one, { plant: site.plant, template, language });
      const shown = await shownOf(context, site);
      return { page: <ListPage {...{ context, detected, last, nameOf, ...shown }} /> };
    }),
    sitePage.get("/portal/devices", async (context, site) => ({
      parts: { devices: <DeviceCards context={context} {...(await shownOf(context, site))} /> },
    })),
    ...addPages({ actuators, drafts }),
    ...checkPages({ ...options, drafts }),
    ...findPages({ ...options, drafts }),
    ...FORMER.map((path) =>
      accountPage.get(`/actuators${path}`, ({ query }) => ({
        redirect: `${DEVICES_PATH}${path}${query.size > 0 ? `?${query}` : ""}`,
      })),
    ),
  ];
}
