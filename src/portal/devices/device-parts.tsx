import type { ComponentHealth } from "../../core/health-registry.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import type { ActuatorStatus } from "../../equipment/status.js";
import { actuatorComponent } from "../../equipment/status-component.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import { formatOf } from "../../texts/format.js";
import { componentText, textsOf } from "../../texts/index.js";
import type { SiteContext } from "../page.js";
import { Notice } from "../ui/form.js";
import { ageText, dateTimeText } from "../ui/format.js";
import { bullets, Card } from "../ui/parts.js";
import { DataTable, namedValues } from "../ui/table.js";
import { controlsText, readingText, stateText } from "./labels.js";

const LIGHTS: Readonly<Record<DeviceView["state"], ComponentHealth["state"]>> = {
  waiting: "ok",
  ok: "ok",
  sleeping: "ok",
  disabled: "degraded",
  degraded: "degraded",
  external: "degraded",
  unreachable: "down",
  misconfigured: "down",
  conflict: "down",
};

/** Whether a device answers as it should, or has not been asked yet. */
export function isAnswering({ state }: DeviceView): boolean {
  return LIGHTS[state] === "ok";
}

interface ReaderProps {
  context: SiteContext;
  view: DeviceView;
}

/** Whether a device answers, and what to do if it does not. */
export function ReaderState({ context, view }: ReaderProps) {
  const { state, page } = textsOf(context.language).devicePages;
  const help = page.help[view.state];
  return (
    <>
      <p>
        <span class={`state ${LIGHTS[view.state]}`}>{state[view.state]}</span>
      </p>
      {help !== undefined && (
        <>
          <p>{help}</p>
          {unreadText(context, view)}
        </>
      )}
    </>
  );
}

/** What is read of a device, updated while its page is open. */
export function ReaderNow({ context, view }: ReaderProps) {
  const { page } = textsOf(context.language).devicePages;
  const nowMs = context.now.getTime();
  return (
    <>
      <ReaderState context={context} view={view} />
      <p class="hint">
        {view.readAt === null ? page.never : page.readAt(ageText(view.readAt, nowMs, context.language))}
      </p>
      {readingsTable(context, view.readings)}
    </>
  );
}

/** Template, address, identity, and what a reading costs. */
export function ReaderFacts({ context, view, templateName }: ReaderProps & { templateName: string }) {
  const { page, add, roles } = textsOf(context.language).devicePages;
  const { number } = formatOf(context.language, context.site.plant.timezone);
  const read = new Set(view.reads.map((role) => role.replace(/ \d$/, "")));
  const { identity, counts, lastError } = view;
  const whole = (value: number) => number(value, 0);
  const rows: [string, string | undefined][] = [
    [page.template, templateName],
    [page.address, view.address],
    [page.model, [identity.manufacturer, identity.model].filter(Boolean).join(" ")],
    [page.serial, identity.serial],
    [page.firmware, identity.firmware],
    [add.reads, [...read].map((role) => roles[role] ?? role).join(", ")],
    [page.fallback, view.isFallback ? add.fallback : undefined],
    [page.poll, page.seconds(whole(view.pollS))],
    [page.cost, page.costText(whole(view.durationMs), whole(view.bytes))],
    [page.counts, page.countsText(whole(counts.reads), whole(counts.failures), whole(counts.implausible))],
    [
      page.lastError,
      lastError === null ? undefined : `${dateTimeText(lastError.at, context)}: ${lastError.message}`,
    ],
  ];
  return namedValues(rows);
}

/** All readings of a device with age, quality and the value as the device sends it. */
export function readingsTable({ language, now }: SiteContext, readings: DeviceView["readings"]) {
  const texts = textsOf(language).devicePages;
  const { reading, value, age, quality, raw } = texts.page.column;
  return (
    <DataTable
      rows={Object.entries(readings)}
      label={texts.page.now}
      columns={(col) => [
        col.head(reading, ([name]) => texts.readings[name] ?? name),
        col.number(value, ([name, one]) => readingText(name, one, language)),
        col.text(age, ([, { at }]) => (at === null ? "–" : ageText(at, now.getTime(), language))),
        col.text(quality, ([, one]) => texts.quality[one.quality]),
        col.text(raw, ([, one]) => <code>{String(one.raw ?? "–")}</code>),
      ]}
    />
  );
}

/** Why a device cannot be read, in plain words with the technical sentence. */
export function unreadText(context: SiteContext, view: DeviceView | undefined, refusal?: string | undefined) {
  const { components, actuators } = textsOf(context.language);
  const faults: Readonly<Record<string, string>> = components.actuatorFaults;
  const code = view?.lastError?.code ?? "";
  const message = refusal ?? view?.lastError?.message;
  if (message === undefined) return null;
  const plain = Object.hasOwn(faults, code) ? `${faults[code]} ` : "";
  return <p class="hint">{`${plain}${actuators.technical(message)}`}</p>;
}

export interface CommandProps {
  context: SiteContext;
  /** Undefined: the device is being connected. */
  status: ActuatorStatus | undefined;
}

/** The commands of a device in words, with its badges. */
export function Status({ context, status }: CommandProps) {
  const { language, site } = context;
  const texts = textsOf(language).actuators;
  const { fields } = texts;
  if (status === undefined) return <p>{texts.starting}</p>;
  const { state, detail } = actuatorComponent(status);
  const { wanted, confirmed, accepted, shown, wait } = status;
  const timeOf = (at: Date | null) => (at === null ? undefined : dateTimeText(at, context));
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
      {namedValues([
        [fields.controls, controlsText(status.controls, site, language)],
        [fields.wanted, wanted === null ? texts.nothing : stateText(wanted, language)],
        [
          fields.confirmed,
          confirmed === null
            ? texts.nothing
            : `${stateText(confirmed, language)} (${dateTimeText(confirmed.at, context)})`,
        ],
        [
          fields.accepted,
          confirmed === null && accepted !== null ? stateText(accepted, language) : undefined,
        ],
        [
          fields.shown,
          shown !== null && shown !== confirmed?.state ? (texts.states[shown] ?? shown) : undefined,
        ],
        [fields.writes, texts.writes(status.writesToday, status.maxWritesPerDay)],
        [fields.external, timeOf(status.externalUntil)],
        [fields.changes, wait?.for === "dwell" ? timeOf(wait.until) : undefined],
        [fields.retry, timeOf(status.retryAt)],
      ])}
    </>
  );
}

/** What to enable on the device, and what to note. */
export function Notes({ context, template }: { context: SiteContext; template: ActuatorTemplate }) {
  const { language } = context;
  const texts = textsOf(language).actuators;
  const requirements = template.requirements?.[language] ?? [];
  const hazards = template.hazards?.[language] ?? [];
  return (
    <>
      {requirements.length > 0 && <Card title={texts.parameters.requirements}>{bullets(requirements)}</Card>}
      {(hazards.length > 0 || template.experimental) && (
        <Notice kind="warning">
          <h2>{texts.parameters.hazards}</h2>
          <ul>
            {template.experimental && <li>{texts.experimentalNote}</li>}
            {hazards.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}
