import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { Layout } from "../ui/layout.js";
import { ControllerLinks, type LinkRow } from "./controller-links.js";
import type { KindId } from "./kinds.js";
import { Light, type ShownConnection } from "./light.js";
import { CONNECT_PATH } from "./path.js";

interface OverviewProps {
  context: SignedInContext;
  siteId: string;
  connections: readonly { id: KindId; connection: ShownConnection }[];
  links: readonly LinkRow[];
  madeLink: string | undefined;
  linkForm: { label: string; scope: string; errors: Readonly<Record<string, string>> };
}

/** The page /connect: every kind with its light, and the controller links. */
export function OverviewPage({ context, siteId, connections, links, madeLink, linkForm }: OverviewProps) {
  const texts = textsOf(context.language);
  const query = new URLSearchParams({ site: siteId });
  return (
    <Layout
      context={context}
      title={texts.portal.frame.areas.connect}
      stylesheets={["dashboard.css"]}
      scripts={["client/dashboard.js"]}
    >
      <p class="lead">{texts.connect.intro}</p>
      <div
        id="live"
        data-url={`/portal/connect?${query}`}
        data-events={`/portal/events?${query}&about=connections`}
      >
        <ul class="kinds">
          {connections.map(({ id, connection }) => (
            <li class="card" key={id}>
              <h2>
                <a href={`${CONNECT_PATH}/${id}`}>{texts.connect.kinds[id].name}</a>
              </h2>
              <p>{texts.connect.kinds[id].summary}</p>
              <div id={`light-${id}`}>
                <Light context={context} connection={connection} />
              </div>
            </li>
          ))}
        </ul>
      </div>
      <ControllerLinks
        context={context}
        links={links}
        made={madeLink}
        errors={linkForm.errors}
        typed={linkForm}
      />
    </Layout>
  );
}
