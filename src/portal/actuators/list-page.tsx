import { isDeepStrictEqual } from "node:util";
import type { SavedChange } from "../../accounts/settings-history.js";
import type { ActuatorSettings } from "../../config/settings.js";
import type { Language } from "../../core/language.js";
import type { DetectedDevice } from "../../equipment/detection.js";
import type { ActuatorStatus } from "../../equipment/status.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { UndoableNotice, UndoForm } from "../ems/saved-notice.js";
import { Layout } from "../ui/layout.js";
import { NoSite } from "../ui/notices.js";
import { ACTUATORS_PATH, actuatorUrl, Status } from "./labels.js";

/** One actuator of the site. */
export interface ShownActuator {
  settings: ActuatorSettings;
  status: ActuatorStatus | undefined;
}

/** The actuators of a site; updated while the page is open. */
export function ActuatorList({
  context,
  actuators,
}: {
  context: SignedInContext;
  actuators: readonly ShownActuator[];
}) {
  const texts = textsOf(context.language).actuators;
  if (actuators.length === 0) return <p class="empty">{texts.none}</p>;
  return (
    <div class="columns">
      {actuators.map(({ settings, status }) => (
        <section class="card" key={settings.id}>
          <h2>{settings.id}</h2>
          <Status context={context} settings={settings} status={status} />
          <p>
            <a href={actuatorUrl(context.site?.id ?? "", settings.id)}>{texts.open(settings.id)}</a>
          </p>
        </section>
      ))}
    </div>
  );
}

interface ListProps {
  context: SignedInContext;
  actuators: readonly ShownActuator[];
  detected: readonly { device: DetectedDevice; template: ActuatorTemplate }[];
  /** The last change of the actuators that can be undone. */
  last: SavedChange | undefined;
}

/** What a change did to the actuators, a line each. */
function changedActuators({ before, after }: SavedChange, language: Language): string[] {
  const { added, removed, changed } = textsOf(language).actuators.changes;
  const [old = [], now = []] = [before.inForce.plant.actuators, after.inForce.plant.actuators];
  const same = (id: string) => old.find((one) => one.id === id);
  return [
    ...old.filter(({ id }) => now.every((one) => one.id !== id)).map(({ id }) => removed(id)),
    ...now
      .filter((one) => !isDeepStrictEqual(same(one.id), one))
      .map(({ id }) => (same(id) === undefined ? added(id) : changed(id))),
  ];
}

/** The page /actuators. */
export function ListPage({ context, actuators, detected, last }: ListProps) {
  const { site, language } = context;
  const texts = textsOf(language).actuators;
  if (site === undefined)
    return (
      <Layout context={context} title={texts.title}>
        <NoSite context={context} />
      </Layout>
    );
  const query = new URLSearchParams({ site: site.id });
  return (
    <Layout
      context={context}
      title={texts.title}
      stylesheets={["dashboard.css"]}
      scripts={["client/dashboard.js"]}
    >
      <UndoableNotice context={context} back={ACTUATORS_PATH} />
      <p>{texts.intro}</p>
      <div id="live" data-url={`/portal/actuators?${query}`} data-events={`/portal/events?${query}`}>
        <div id="actuators">
          <ActuatorList context={context} actuators={actuators} />
        </div>
      </div>
      <p>
        <a class="button" href={`${ACTUATORS_PATH}/new?${query}`}>
          {texts.add}
        </a>
      </p>
      {last !== undefined && (
        <details class="card">
          <summary>{textsOf(language).home.saved.last}</summary>
          <ul>
            {changedActuators(last, language).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <UndoForm context={context} id={last.id} back={ACTUATORS_PATH} />
        </details>
      )}
      {detected.length > 0 && (
        <section class="card">
          <h2>{texts.detected.title}</h2>
          <p>{texts.detected.intro}</p>
          <ul class="links">
            {detected.map(({ device, template }) => {
              const { transport, ...rest } = device.with;
              const use = new URLSearchParams({ site: site.id, template: template.id });
              if (transport !== undefined) use.set("transport", String(transport));
              for (const [name, value] of Object.entries(rest)) use.set(`p.${name}`, String(value));
              const name = `${template.name[language]}: ${device.name}`;
              return (
                <li key={name}>
                  <a href={`${ACTUATORS_PATH}/new?${use}`}>{texts.detected.use(name)}</a>
                </li>
              );
            })}
          </ul>
        </section>
      )}
    </Layout>
  );
}
