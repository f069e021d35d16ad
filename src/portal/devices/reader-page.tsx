import type { DeviceView } from "../../equipment/reading/view.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import { UndoableNotice } from "../ems/saved-notice.js";
import type { SiteContext } from "../page.js";
import { Layout } from "../ui/layout.js";
import { Failed } from "../ui/notices.js";
import { DEVICES_PATH } from "./labels.js";
import { Notes } from "./notes.js";
import { ReaderFactsCard, ReaderNowCard } from "./reader-parts.js";

interface ReaderPageProps {
  context: SiteContext;
  view: DeviceView;
  template: ActuatorTemplate | undefined;
}

/** The page of a device that is only read: its values, its connection, what is wrong. */
export function ReaderPage({ context, view, template }: ReaderPageProps) {
  const { language } = context;
  const texts = textsOf(language).devicePages;
  const query = new URLSearchParams({ site: context.site.id, id: view.id });
  return (
    <Layout context={context} title={view.name} scripts={["client/dashboard.js"]}>
      <p class="back">
        <a href={DEVICES_PATH}>{texts.add.back}</a>
      </p>
      <UndoableNotice context={context} back={DEVICES_PATH} />
      <Failed text={context.session.takeFlash("outcome")} />
      <div id="live" data-url={`/portal/device?${query}`} data-events={`/portal/events?${query}`}>
        <ReaderNowCard context={context} view={view} />
        <ReaderFactsCard context={context} view={view} template={template} />
      </div>
      {template !== undefined && <Notes context={context} template={template} />}
    </Layout>
  );
}
