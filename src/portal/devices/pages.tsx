import { isDeepStrictEqual } from "node:util";
import type { SavedChange, SettingsHistory } from "../../accounts/settings-history.js";
import type { Services } from "../../api/services.js";
import type { DeviceSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import type { Language } from "../../core/language.js";
import { commandedName } from "../../equipment/commanded-name.js";
import type { DetectedDevice } from "../../equipment/detection.js";
import type { ActuatorService } from "../../equipment/service.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import type { LedgerService } from "../../money/ledger/service.js";
import { textsOf } from "../../texts/index.js";
import type { Page, SignedInContext } from "../context.js";
import type { RecentReadingsReader } from "../dashboard/recent-readings.js";
import { RunCosts } from "../dashboard/take-override.js";
import { type DashboardView, viewOf } from "../dashboard/view.js";
import { accountPage, sitePage, titledPage } from "../page.js";
import { Layout } from "../ui/layout.js";
import { UndoForm } from "../ui/notices.js";
import { bullets, Card, linkButton } from "../ui/parts.js";
import { addPages } from "./add-pages.js";
import { type CardsProps, DeviceCards, shownDevices } from "./cards.js";
import { type CheckPagesOptions, checkPages } from "./check-pages.js";
import { DeviceDrafts } from "./drafts.js";
import { findPages } from "./find-pages.js";
import { ADD_PATH, DEVICES_PATH, FIND_PATH } from "./labels.js";
import type { DeviceSearches } from "./searches.js";

/** Services that the pages "Devices" use. */
export interface DevicePagesOptions {
  services: Parameters<typeof viewOf>[0] & Pick<Services, "flex" | "devicePlans">;
  savings: Pick<LedgerService, "now">;
  /** What was measured today. */
  recent: Pick<RecentReadingsReader, "of">;
  actuators: CheckPagesOptions["actuators"] &
    Pick<ActuatorService, "list" | "detected" | "templates" | "changesHost">;
  devices: CheckPagesOptions["devices"];
  sites: CheckPagesOptions["sites"];
  searches: DeviceSearches;
  /** Throws StoreError. */
  history: CheckPagesOptions["history"] & Pick<SettingsHistory, "list">;
}

/** Addresses of former versions. */
const FORMER = { "": "", "/new": "/add", "/edit": "/add", "/device": "/device" };

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
    const equipment = {
      actuators: actuators.list(site.id),
      views: devices.list(site.id),
      slots: house.slots,
    };
    return {
      house,
      devices: shownDevices(site, equipment, language),
      templateName: (id: string) => template(id)?.name[language] ?? id,
    };
  };

  return [
    titledPage(({ devicePages: { title } }) => title).get(DEVICES_PATH, async (context, site) => {
      const { language } = context;
      const detected = actuators.detected(site).flatMap((device) => {
        const found = template(device.template);
        return found === undefined ? [] : [{ device, template: found }];
      });
      const last = (await history.list(site.id)).find(({ keys }) => keys.includes("devices"));
      const nameOf = (one: DeviceSettings) =>
        one.name ||
        commandedName({ ...one, controls: one.controls ?? "" }, { plant: site.plant, template, language });
      const shown = await shownOf(context, site);
      return { page: <ListPage {...{ context, detected, last, nameOf, ...shown }} /> };
    }),
    sitePage.get("/portal/devices", async (context, site) => ({
      parts: { devices: <DeviceCards context={context} {...(await shownOf(context, site))} /> },
    })),
    ...addPages({ actuators, drafts }),
    ...checkPages({ ...options, drafts }),
    ...findPages({ ...options, drafts }),
    ...Object.entries(FORMER).map(([former, path]) =>
      accountPage.get(`/actuators${former}`, ({ query }) => ({
        redirect: `${DEVICES_PATH}${path}${query.size > 0 ? `?${query}` : ""}`,
      })),
    ),
  ];
}

/** Devices that were seen on the broker, with their templates. */
type DetectedList = readonly { device: DetectedDevice; template: ActuatorTemplate }[];

interface ListProps extends CardsProps {
  detected: DetectedList;
  /** The last change of the devices that can be undone. */
  last: SavedChange | undefined;
  nameOf(device: DeviceSettings): string;
}

/** The page /devices: all devices of a site. */
function ListPage({ detected, last, nameOf, ...cards }: ListProps) {
  const { context } = cards;
  const { language } = context;
  const texts = textsOf(language).devicePages;
  const query = new URLSearchParams({ site: context.site.id });
  return (
    <Layout
      context={context}
      title={texts.title}
      scripts={["client/dashboard.js"]}
      stylesheets={["overview.css"]}
    >
      <p>{texts.intro}</p>
      <div id="live" data-url={`/portal/devices?${query}`} data-events={`/portal/events?${query}`}>
        <div id="devices">
          <DeviceCards {...cards} />
        </div>
      </div>
      <div class="buttons">
        {context.account.administrator && linkButton(`${FIND_PATH}?${query}`, texts.find.submit)}
        {linkButton(`${ADD_PATH}?${query}`, texts.byHand, "button plain")}
        {linkButton("/settings/ems/slots", texts.flexible, "button plain")}
      </div>
      <p class="hint">{texts.flexibleHint}</p>
      {last !== undefined && (
        <details class="card">
          <summary>{textsOf(language).home.saved.last}</summary>
          {bullets(changedDevices(last, language, nameOf))}
          <UndoForm context={context} id={last.id} back={DEVICES_PATH} />
        </details>
      )}
      <Detected {...{ context, detected }} />
    </Layout>
  );
}

/** Devices that were seen on the broker, with links to the wizard with what is known of them. */
function Detected({ context: { language, site }, detected }: Pick<ListProps, "context" | "detected">) {
  const texts = textsOf(language).actuators.detected;
  if (detected.length === 0) return null;
  return (
    <Card title={texts.title}>
      <p>{texts.intro}</p>
      <ul class="links">
        {detected.map(({ device, template }) => {
          const { transport, ...rest } = device.with;
          const query = new URLSearchParams({ site: site.id, template: template.id });
          if (transport !== undefined) query.set("transport", String(transport));
          for (const [name, value] of Object.entries(rest)) query.set(`p.${name}`, String(value));
          const name = `${template.name[language]}: ${device.name}`;
          return (
            <li key={name}>
              <a href={`${ADD_PATH}?${query}`}>{texts.use(name)}</a>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

/** What a change did to the devices, a line each. */
function changedDevices(
  { before, after }: SavedChange,
  language: Language,
  nameOf: ListProps["nameOf"],
): string[] {
  const { added, removed, changed } = textsOf(language).actuators.changes;
  const [old = [], now = []] = [before, after].map(({ inForce: { plant } }) => plant.devices);
  const same = (id: string) => old.find((one) => one.id === id);
  return [
    ...old.filter(({ id }) => now.every((one) => one.id !== id)).map((one) => removed(nameOf(one))),
    ...now
      .filter((one) => !isDeepStrictEqual(same(one.id), one))
      .map((one) => (same(one.id) === undefined ? added : changed)(nameOf(one))),
  ];
}
