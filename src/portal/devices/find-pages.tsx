import type { DeviceSettings } from "../../config/settings.js";
import type { ReadingService } from "../../equipment/reading/service.js";
import type { ActuatorService } from "../../equipment/service.js";
import { textsOf } from "../../texts/index.js";
import type { Page } from "../context.js";
import type { FormBody } from "../form-body.js";
import { administratorPage, pagesOfSite, type SiteContext } from "../page.js";
import { Layout } from "../ui/layout.js";
import { newDevice } from "./device-to-save.js";
import type { DeviceDrafts } from "./drafts.js";
import { FindSection, heldOf, SEARCHING_SECONDS } from "./find-section.js";
import { checkUrl, DEVICES_PATH, FIND_PATH } from "./labels.js";
import type { DeviceSearches } from "./searches.js";

/** Services that the search for devices uses. */
export interface FindPagesOptions {
  actuators: Pick<ActuatorService, "templates">;
  devices: Pick<ReadingService, "list">;
  searches: DeviceSearches;
  drafts: DeviceDrafts;
}

/** Only administrators may search the network. */
const page = pagesOfSite({ redirect: DEVICES_PATH }, administratorPage);

/** The search for devices in the home network. */
export function findPages({ actuators, devices, searches, drafts }: FindPagesOptions): Page[] {
  /** The page that shows the search: its own, or the step of the wizard. */
  const backTo = ({ site }: SiteContext, form: FormBody) =>
    form.text("step") === "find" ? "/start?step=find" : `${FIND_PATH}?site=${encodeURIComponent(site.id)}`;

  return [
    page.get(FIND_PATH, (context, site) => {
      const { language } = context;
      const texts = textsOf(language).devicePages;
      const search = searches.get(site.id);
      return {
        page: (
          <Layout
            context={context}
            title={texts.find.title}
            back={[DEVICES_PATH, texts.add.back]}
            refreshSeconds={search?.state === "running" ? SEARCHING_SECONDS : undefined}
          >
            <section class="card">
              <FindSection
                context={context}
                search={search}
                views={devices.list(site.id)}
                templateName={(id) => actuators.templates().get(id)?.name[language] ?? id}
              />
            </section>
          </Layout>
        ),
      };
    }),
    page.post(FIND_PATH, { of: FIND_PATH, event: "device.found" }, async (context, site, form) => {
      await actuators.templates().readAll();
      const asked = { targets: form.text("targets"), exclude: form.text("exclude") };
      await searches.begin(site.id, asked);
      return { redirect: backTo(context, form) };
    }),
    page.post(`${FIND_PATH}/cancel`, { of: FIND_PATH }, (context, site, form) => {
      searches.cancel(site.id);
      return { redirect: backTo(context, form) };
    }),
    page.post(`${FIND_PATH}/add`, { of: FIND_PATH }, (context, site, form) => {
      const { account } = context;
      const found = searches.get(site.id)?.found[Number(form.text("index"))];
      // The list may have changed since the page was shown.
      if (found === undefined || found.name !== form.text("name")) return { redirect: backTo(context, form) };
      const known = heldOf(found, site.plant.devices, devices.list(site.id));
      const way = [found, ...found.also].find(({ template }) => template === known?.template);
      const held = way && known;
      const settings: DeviceSettings = {
        ...(held ?? newDevice(found.template, site.plant)),
        with: { ...held?.with, ...(way ?? found).with } as DeviceSettings["with"],
      };
      const back = form.text("step") === "find" ? "/start?step=find" : DEVICES_PATH;
      const token = drafts.put({
        accountId: account.id,
        siteId: site.id,
        settings,
        replaces: held?.id,
        back,
      });
      return { redirect: checkUrl(site.id, token) };
    }),
  ];
}
