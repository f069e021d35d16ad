import type { SettingsHistory } from "../../accounts/settings-history.js";
import type { Services } from "../../api/services.js";
import type { Site } from "../../config/site.js";
import type { ActuatorService } from "../../equipment/service.js";
import { textsOf } from "../../texts/index.js";
import { ACTUATORS_PATH } from "../actuators/labels.js";
import type { Page, SignedInContext } from "../context.js";
import { type DashboardView, viewOf } from "../dashboard/view.js";
import { accountPage, sitePage } from "../page.js";
import { Layout } from "../ui/layout.js";
import { NoSite } from "../ui/notices.js";
import { DeviceCards } from "./cards.js";
import { ListPage } from "./list-page.js";
import { actuatorName, type SiteEquipment, shownDevices } from "./shown-device.js";

/** Services that the pages "Devices" use. */
export interface DevicePagesOptions {
  services: Parameters<typeof viewOf>[0] & Pick<Services, "flex">;
  actuators: Pick<ActuatorService, "list" | "templates" | "detected">;
  /** Throws StoreError. */
  history: Pick<SettingsHistory, "list">;
}

/** Addresses of former versions. */
const FORMER = ["", "/new", "/edit", "/device"];

/** The list of all devices of a site, and the data of its open page. */
export function devicePages({ services, actuators, history }: DevicePagesOptions): Page[] {
  const template = (id: string) => actuators.templates().get(id);

  const shownOf = ({ language, csrfToken }: SignedInContext, site: Site) => {
    const house: DashboardView = { ...viewOf(services, site), csrfToken, page: "devices" };
    const states = new Map(actuators.list(site.id).map((status) => [status.id, status]));
    const equipment: SiteEquipment = {
      actuators: site.plant.actuators.map((settings) => ({ settings, status: states.get(settings.id) })),
      slots: house.slots,
      template,
    };
    return { house, devices: shownDevices(site, equipment, language) };
  };

  return [
    accountPage.get(ACTUATORS_PATH, async (context) => {
      const { site, language } = context;
      if (site === undefined)
        return {
          page: (
            <Layout context={context} title={textsOf(language).devicePages.title}>
              <NoSite context={context} />
            </Layout>
          ),
        };
      const detected = actuators.detected(site).flatMap((device) => {
        const found = template(device.template);
        return found === undefined ? [] : [{ device, template: found }];
      });
      const last = (await history.list(site.id)).find(({ keys }) => keys.includes("actuators"));
      const former = [...site.plant.actuators, ...(last?.before.inForce.plant.actuators ?? [])];
      const nameOf = (id: string) => {
        const settings = former.find((one) => one.id === id);
        return settings === undefined ? id : actuatorName(settings, { site, template, language });
      };
      return { page: <ListPage {...{ context, detected, last, nameOf, ...shownOf(context, site) }} /> };
    }),
    sitePage.get("/portal/devices", (context, site) => ({
      parts: { devices: <DeviceCards context={context} {...shownOf(context, site)} /> },
    })),
    ...FORMER.map((path) =>
      accountPage.get(`/actuators${path}`, ({ query }) => ({
        redirect: `${ACTUATORS_PATH}${path}${query.size > 0 ? `?${query}` : ""}`,
      })),
    ),
  ];
}
