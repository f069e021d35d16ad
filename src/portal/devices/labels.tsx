import type { ActuatorSettings } from "../../config/settings.js";
import type { Site } from "../../config/site.js";
import type { Language } from "../../core/language.js";
import { parseControls } from "../../equipment/states.js";
import type { ActuatorStatus } from "../../equipment/status.js";
import { actuatorComponent } from "../../equipment/status-component.js";
import { componentText, textsOf } from "../../texts/index.js";
import type { SignedInContext } from "../context.js";
import { dateTimeText } from "../ui/format.js";

/** The path of the pages. */
export const DEVICES_PATH = "/devices";

/** The address of the page of one actuator. */
export function deviceUrl(siteId: string, id: string): string {
  return `${DEVICES_PATH}/device?${new URLSearchParams({ site: siteId, id })}`;
}

/** What an actuator controls, in words. */
export function controlsText(controls: string, site: Site, language: Language): string {
  const texts = textsOf(language).actuators.controls;
  const parsed = parseControls(controls);
  if (parsed === undefined) return controls;
  const label = site.plant.slots.find(({ slot }) => slot === parsed.slot)?.label ?? "";
  if (parsed.control === "slot") return texts.slot(parsed.slot ?? 0, label);
  if (parsed.control !== "sg_ready" || parsed.slot === undefined) return texts[parsed.control];
  return `${texts.sg_ready}, ${texts.slot(parsed.slot, label)}`;
}

/** A state with its power, such as `charge, 3.2 kW`. */
export function stateText(state: string, powerKw: number, language: Language): string {
  const { actuators, format } = textsOf(language);
  const name = actuators.states[state] ?? state;
  if (powerKw === 0) return name;
  return `${name}, ${powerKw.toLocaleString(format.locale, { maximumFractionDigits: 2 })} kW`;
}

interface StatusProps {
  context: SignedInContext;
  settings: ActuatorSettings;
  status: ActuatorStatus | undefined;
  templateName: string;
}

/** The state of an actuator in words, with its badges. */
export function Status({ context, settings, status, templateName }: StatusProps) {
  const { language, site } = context;
  const texts = textsOf(language).actuators;
  const { fields } = texts;
  if (status === undefined) return <p>{texts.starting}</p>;
  const { state, detail } = actuatorComponent(status);
  const rows: [string, string][] = [
    [
      fields.controls,
      site === undefined ? settings.controls : controlsText(settings.controls, site, language),
    ],
    [fields.template, templateName],
    [
      fields.wanted,
      status.wanted === null
        ? texts.nothing
        : stateText(status.wanted.state, status.wanted.powerKw, language),
    ],
    [
      fields.confirmed,
      status.confirmed === null
        ? texts.nothing
        : `${stateText(status.confirmed.state, status.confirmed.powerKw, language)} (${dateTimeText(status.confirmed.at, context)})`,
    ],
    ...(status.confirmed === null && status.accepted !== null
      ? [
          [fields.accepted, stateText(status.accepted.state, status.accepted.powerKw, language)] as [
            string,
            string,
          ],
        ]
      : []),
    ...(status.shown !== null && status.shown !== status.confirmed?.state
      ? [[fields.shown, stateText(status.shown, 0, language)] as [string, string]]
      : []),
    [fields.writes, texts.writes(status.writesToday, status.maxWritesPerDay)],
  ];
  if (status.externalUntil !== null)
    rows.push([fields.external, dateTimeText(status.externalUntil, context)]);
  if (status.wait?.for === "dwell" && status.wait.until !== null)
    rows.push([fields.changes, dateTimeText(status.wait.until, context)]);
  if (status.retryAt !== null) rows.push([fields.retry, dateTimeText(status.retryAt, context)]);
  return (
    <>
      <p>
        <span class={`state ${state}`}>{componentText(detail, language)}</span>
      </p>
      <p class="badges">
        {status.dryRun && <span class="badge">{texts.badge.dryRun}</span>}
        {!status.enabled && <span class="badge">{texts.badge.disabled}</span>}
        {status.isExperimental && <span class="badge">{texts.badge.experimental}</span>}
      </p>
      <dl class="facts">
        {rows.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
    </>
  );
}
