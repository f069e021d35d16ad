import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { Layout } from "../ui/layout.js";
import type { HeldSettings } from "./held-texts.js";
import { type LastChange, LastChangeCard, SavedNotice, type SaveOutcome } from "./saved-notice.js";
import { EMS_PATH } from "./section-form.js";
import { SUBJECTS } from "./sections.js";
import { subjectSummary } from "./summary.js";

interface IndexPageProps {
  context: PageContext;
  held: HeldSettings;
  last: LastChange | undefined;
  outcome: SaveOutcome | undefined;
}

/** The page /settings/ems: the subjects of "My home" with a line of what is set. Its ids are those of former forms. */
export function IndexPage(props: IndexPageProps) {
  const { context, held } = props;
  const { home, ems, connect } = textsOf(context.language);
  return (
    <Layout
      context={context}
      title={home.title}
      scripts={["client/settings.js"]}
      stylesheets={["dashboard.css"]}
    >
      <p class="lead">{home.lead(held.plant.name)}</p>
      <SavedNotice context={context} held={held} last={props.last} outcome={props.outcome} />
      <ul class="subjects card">
        {SUBJECTS.map((subject) => (
          <li key={subject} id={subject}>
            <a href={`${EMS_PATH}/${subject}`} id={subject === "battery" ? "batteries" : undefined}>
              {ems.sections[subject].title}
            </a>
            <span class="hint">{subjectSummary(subject, held, context.language)}</span>
          </li>
        ))}
        <li id="links">
          <a href="/connect#links">{connect.links.title}</a>
        </li>
      </ul>
      <LastChangeCard context={context} held={held} last={props.last} outcome={props.outcome} />
    </Layout>
  );
}
