import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { Layout } from "../ui/layout.js";
import { ControllerLinks, type LinkRow } from "./controller-links.js";
import { type KindConnection, Kinds } from "./light.js";

interface OverviewProps {
  context: SignedInContext;
  siteId: string;
  connections: readonly KindConnection[];
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
        <div id="kinds">
          <Kinds context={context} connections={connections} />
        </div>
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
