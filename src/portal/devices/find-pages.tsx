import { newDevice } from "../../config/new-device.js";
import type { DeviceSettings } from "../../config/settings.js";
import type { Language } from "../../core/language.js";
import { VIENNA } from "../../core/time/zone.js";
import type { FoundDevice } from "../../equipment/finding/found.js";
import type { ReadingService } from "../../equipment/reading/service.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import type { ActuatorService } from "../../equipment/service.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import type { Page } from "../context.js";
import type { FormBody } from "../form-body.js";
import { administratorPage, pagesOfSite, type SiteContext } from "../page.js";
import { type FieldErrors, Form, Notice, TextField } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import { formButton, submitButton } from "../ui/parts.js";
import type { DeviceDrafts } from "./drafts.js";
import { checkUrl, DEVICES_PATH, FIND_PATH } from "./labels.js";
import type { DeviceSearch, DeviceSearches } from "./searches.js";

/** Services that the search for devices uses. */
interface FindPagesOptions {
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
                {...{ context, search }}
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

/** While a search runs, its page is loaded again after this time. */
export const SEARCHING_SECONDS = 2;

interface FindProps {
  context: SiteContext;
  search: DeviceSearch | undefined;
  /** The devices of the site, to know which found ones are among them. */
  views: readonly DeviceView[];
  /** Undefined on the page of its own. */
  step?: string;
  templateName(id: string): string;
}

/** The search for devices in the home network: its form, its progress, and what it has found. */
export function FindSection(props: FindProps) {
  const { context, search } = props;
  const hidden = { step: props.step };
  const { find } = textsOf(context.language).devicePages;
  const { number } = formatOf(context.language, VIENNA);
  if (!context.account.administrator) return <Notice kind="info">{find.onlyAdministrator}</Notice>;
  const errors: FieldErrors =
    search?.fault !== undefined && "field" in search.fault
      ? { [search.fault.field]: find.invalid(search.fault.target) }
      : {};
  if (search?.state === "running")
    return (
      <>
        <p class="big" role="status">
          {search.of === 0 ? find.begins : find.running(number(search.lookedAt, 0), number(search.of, 0))}
        </p>
        <progress max={Math.max(1, search.of)} value={search.lookedAt} aria-label={find.title} />
        {formButton(context, `${FIND_PATH}/cancel`, find.cancel, { hidden, kind: "plain" })}
        <FoundList {...props} />
      </>
    );
  return (
    <>
      {search !== undefined && outcome(context, search)}
      <FoundList {...props} />
      <p>{find.intro}</p>
      <Form {...{ context, hidden }} action={FIND_PATH} label={find.title}>
        {submitButton(search === undefined ? find.submit : find.again, {
          kind: search === undefined ? "primary" : "plain",
        })}
        <details open={Object.keys(errors).length > 0 || (search?.targets ?? "") !== ""}>
          <summary>{find.options}</summary>
          {(["targets", "exclude"] as const).map((name) => (
            <TextField
              key={name}
              name={name}
              label={find[name]}
              hint={name === "targets" ? find.targetsHint : find.excludeHint}
              value={search?.[name] ?? ""}
              error={errors[name]}
              autocomplete="off"
              maxLength={400}
            />
          ))}
        </details>
      </Form>
    </>
  );
}

function outcome(context: SiteContext, search: DeviceSearch) {
  const { devicePages, actuators } = textsOf(context.language);
  const { find } = devicePages;
  const { number } = formatOf(context.language, VIENNA);
  if (search.fault !== undefined && "message" in search.fault)
    return <Notice kind="error">{find.failed(actuators.technical(search.fault.message))}</Notice>;
  if (search.state === "failed") return null;
  return (
    <>
      {search.state === "cancelled" && <p>{find.cancelled}</p>}
      <p class="hint">{find.done(number(search.lookedAt, 0), number(search.ms / 1000, 0))}</p>
      {search.found.length === 0 && <p>{find.nothing}</p>}
    </>
  );
}

function FoundList({ context, search, views, step, templateName }: FindProps) {
  const { find } = textsOf(context.language).devicePages;
  const { devices } = context.site.plant;
  if (search === undefined || search.found.length === 0) return null;
  return (
    <>
      <h3>{find.found}</h3>
      <ul class="slots">
        {search.found.map((found, index) => {
          const line = foundLine(found, context.language);
          const held = heldOf(found, devices, views);
          return (
            <li key={line}>
              <strong>{line}</strong>
              {found.also.length > 0 && (
                <span class="why">
                  {find.also(found.also.map(({ template }) => templateName(template)).join(", "))}
                </span>
              )}
              {held !== undefined && isSamePlace(found, held) ? (
                <span class="badge">{find.added}</span>
              ) : (
                formButton(context, `${FIND_PATH}/add`, held === undefined ? find.add : find.moved, {
                  label: find.addOne(line),
                  hidden: { step, index: String(index), name: found.name },
                })
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** Such as `Fronius GEN24 10.0 Plus at 192.168.1.80: PV, battery 11.0 kWh (41 %), meter`. */
function foundLine(found: FoundDevice, language: Language): string {
  const { find, roles } = textsOf(language).devicePages;
  const { number } = formatOf(language, VIENNA);
  const soc = found.readings.soc_pct?.value ?? null;
  const capacity = found.facts.capacity_kwh;
  const parts = ["pv", "battery", "grid", "load", "slot"]
    .filter((role) => found.reads.some((one) => one.split(" ")[0] === role))
    .map((role) => {
      if (role !== "battery") return roles[role] ?? role;
      const name = capacity === undefined ? roles.battery! : find.capacity(number(capacity, 1));
      return soc === null ? name : `${name} (${number(soc, 0)} %)`;
    });
  const place = find.at(found.name, String(found.with.host ?? ""));
  return parts.length === 0 ? place : `${place}: ${parts.join(", ")}`;
}

/** The device of the site that was found: by its serial number, otherwise by its address. */
function heldOf(
  found: FoundDevice,
  devices: readonly DeviceSettings[],
  views: readonly DeviceView[],
): DeviceSettings | undefined {
  const { serial } = found.identity;
  const serialOf = ({ id, serial: stated }: DeviceSettings) =>
    stated ?? views.find((one) => one.id === id)?.identity.serial;
  return (
    devices.find((one) => serial !== undefined && serialOf(one) === serial) ??
    // Another device may have the address by now.
    devices.find((one) => isSamePlace(found, one) && (serialOf(one) ?? serial) === (serial ?? serialOf(one)))
  );
}

function isSamePlace(found: FoundDevice, held: DeviceSettings): boolean {
  return [found, ...found.also].some(
    (way) =>
      way.template === held.template && way.with.host === held.with.host && samePort(way.with, held.with),
  );
}

function samePort(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  return (a.port ?? b.port) === (b.port ?? a.port);
}
