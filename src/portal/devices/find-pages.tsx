import type { DeviceSettings } from "../../config/settings.js";
import type { ReadingService } from "../../equipment/reading/service.js";
import type { ActuatorService } from "../../equipment/service.js";
import { textsOf } from "../../texts/index.js";
import type { Page, PageReply } from "../context.js";
import type { FormBody } from "../form-body.js";
import { administratorPage, type SiteContext } from "../page.js";
import { Layout } from "../ui/layout.js";
import { checkUrl, newDevice } from "./add-pages.js";
import { freeId } from "./device-to-save.js";
import type { DeviceDrafts } from "./drafts.js";
import { FIND_PATH, FindSection, heldOf, SEARCHING_SECONDS } from "./find-section.js";
import { DEVICES_PATH } from "./labels.js";
import type { DeviceSearches } from "./searches.js";

/** Services that the search for devices uses. */
export interface FindPagesOptions {
  actuators: Pick<ActuatorService, "templates">;
  devices: Pick<ReadingService, "list">;
  searches: DeviceSearches;
  drafts: DeviceDrafts;
}

/** The search for devices in the home network; administrators only. */
export function findPages({ actuators, devices, searches, drafts }: FindPagesOptions): Page[] {
  type Handle = (context: SiteContext, form: FormBody) => PageReply | Promise<PageReply>;
  const page = (method: "get" | "post", path: string, handle: Handle, event?: string): Page => {
    const run = (context: Parameters<Parameters<typeof administratorPage.get>[1]>[0], form: FormBody) =>
      context.site === undefined
        ? { redirect: DEVICES_PATH }
        : handle({ ...context, site: context.site }, form);
    return method === "get"
      ? administratorPage.get(path, run)
      : administratorPage.post(path, { of: FIND_PATH, ...(event !== undefined && { event }) }, run);
  };
  /** The page that shows the search: its own, or the step of the wizard. */
  const backTo = ({ site }: SiteContext, form: FormBody) =>
    form.text("step") === "find" ? "/start?step=find" : `${FIND_PATH}?site=${encodeURIComponent(site.id)}`;

  return [
    page("get", FIND_PATH, (context) => {
      const { site, language } = context;
      const texts = textsOf(language).devicePages;
      const search = searches.get(site.id);
      return {
        page: (
          <Layout
            context={context}
            title={texts.find.title}
            refreshSeconds={search?.state === "running" ? SEARCHING_SECONDS : undefined}
          >
            <p class="back">
              <a href={DEVICES_PATH}>{texts.add.back}</a>
            </p>
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
    page(
      "post",
      FIND_PATH,
      async (context, form) => {
        await actuators.templates().readAll();
        const asked = { targets: form.text("targets"), exclude: form.text("exclude") };
        await searches.begin(context.site.id, asked);
        return { redirect: backTo(context, form) };
      },
      "device.found",
    ),
    page("post", `${FIND_PATH}/cancel`, (context, form) => {
      searches.cancel(context.site.id);
      return { redirect: backTo(context, form) };
    }),
    page("post", `${FIND_PATH}/add`, (context, form) => {
      const { site, account } = context;
      const found = searches.get(site.id)?.found[Number(form.text("index"))];
      // The list may have changed since the page was shown.
      if (found === undefined || found.name !== form.text("name")) return { redirect: backTo(context, form) };
      const known = heldOf(found, site.plant.devices, devices.list(site.id));
      const way = [found, ...found.also].find(({ template }) => template === known?.template);
      const held = way && known;
      const settings: DeviceSettings = {
        ...(held ?? newDevice(found.template, freeId(found.template, site.plant))),
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
