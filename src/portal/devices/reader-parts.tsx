import type { ComponentHealth } from "../../core/health-registry.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { SiteContext } from "../page.js";
import { Form, SubmitButton } from "../ui/form.js";
import { ageText, dateTimeText } from "../ui/format.js";
import { ADD_PATH } from "./add-page.js";
import { FaultText } from "./check-page.js";
import { DEVICES_PATH } from "./labels.js";
import { ReadingsTable } from "./readings-table.js";

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
export function ReaderState({
  context,
  view,
}: Omit<ReaderProps, "context"> & { context: Pick<SiteContext, "language"> }) {
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
          <FaultText context={context} view={view} />
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
      <ReadingsTable context={context} readings={view.readings} now={context.now} />
    </>
  );
}

/** The card with what is read now. */
export function ReaderNowCard({ context, view }: ReaderProps) {
  return (
    <section class="card">
      <h2>{textsOf(context.language).devicePages.page.now}</h2>
      <div id="reading">
        <ReaderNow context={context} view={view} />
      </div>
    </section>
  );
}

/** The card with template, address and cost of a reading, to change or remove the device. */
export function ReaderFactsCard({
  context,
  view,
  template,
}: ReaderProps & { template: ActuatorTemplate | undefined }) {
  const { language } = context;
  return (
    <section class="card">
      <h2>{textsOf(language).devicePages.page.technical}</h2>
      <ReaderFacts context={context} view={view} templateName={template?.name[language] ?? view.template} />
      <ReaderButtons context={context} view={view} />
    </section>
  );
}

/** Template, address, identity, and what a reading costs. */
export function ReaderFacts({ context, view, templateName }: ReaderProps & { templateName?: string }) {
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
  return (
    <dl class="facts">
      {rows.flatMap(([name, value]) =>
        value === undefined || value === ""
          ? []
          : [
              <>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </>,
            ],
      )}
    </dl>
  );
}

/** Change and remove. */
function ReaderButtons({ context, view }: ReaderProps) {
  const { page } = textsOf(context.language).devicePages;
  const query = new URLSearchParams({ site: context.site.id, id: view.id });
  return (
    <>
      <p>
        <a class="button" href={`${ADD_PATH}?${query}`}>
          {page.change}
        </a>
      </p>
      <Form context={context} action={`${DEVICES_PATH}/remove`}>
        <input type="hidden" name="id" value={view.id} />
        <SubmitButton kind="danger">{page.remove}</SubmitButton>
        <p class="hint">{page.removeNote}</p>
      </Form>
    </>
  );
}
