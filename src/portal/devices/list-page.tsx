import { isDeepStrictEqual } from "node:util";
import type { SavedChange } from "../../accounts/settings-history.js";
import type { ActuatorSettings, DeviceSettings } from "../../config/settings.js";
import type { Language } from "../../core/language.js";
import type { DetectedDevice } from "../../equipment/detection.js";
import type { ActuatorTemplate } from "../../equipment/template.js";
import { textsOf } from "../../texts/index.js";
import type { DashboardView } from "../dashboard/view.js";
import { UndoableNotice, UndoForm } from "../ems/saved-notice.js";
import type { SiteContext } from "../page.js";
import { Layout } from "../ui/layout.js";
import { Failed } from "../ui/notices.js";
import { DeviceCards } from "./cards.js";
import { ADD_PATH, DEVICES_PATH, FIND_PATH, NEW_PATH } from "./labels.js";
import type { ShownDevice } from "./shown-device.js";

/** Devices that were seen on the broker, with their templates. */
export type DetectedList = readonly { device: DetectedDevice; template: ActuatorTemplate }[];

interface ListProps {
  context: SiteContext;
  house: DashboardView;
  devices: readonly ShownDevice[];
  detected: DetectedList;
  /** The last change of the devices that can be undone. */
  last: SavedChange | undefined;
  nameOf(device: ActuatorSettings | DeviceSettings): string;
}

/** The page /devices: all devices of a site. */
export function ListPage({ context, house, devices, detected, last, nameOf }: ListProps) {
  const { language } = context;
  const texts = textsOf(language).devicePages;
  const { id } = house.site;
  const query = new URLSearchParams({ site: id });
  return (
    <Layout
      context={context}
      title={texts.title}
      scripts={["client/dashboard.js"]}
      stylesheets={["overview.css"]}
    >
      <UndoableNotice context={context} back={DEVICES_PATH} />
      <Failed text={context.session.takeFlash("refused")} />
      <p>{texts.intro}</p>
      <div id="live" data-url={`/portal/devices?${query}`} data-events={`/portal/events?${query}`}>
        <div id="devices">
          <DeviceCards context={context} house={house} devices={devices} />
        </div>
      </div>
      <div class="buttons">
        {context.account.administrator && (
          <a class="button" href={`${FIND_PATH}?${query}`}>
            {texts.find.submit}
          </a>
        )}
        <a class="button plain" href={`${ADD_PATH}?${query}`}>
          {texts.byHand}
        </a>
        <a class="button plain" href="/settings/ems/slots">
          {texts.flexible}
        </a>
      </div>
      <p class="hint">{texts.flexibleHint}</p>
      {last !== undefined && (
        <details class="card">
          <summary>{textsOf(language).home.saved.last}</summary>
          <ul>
            {changedDevices(last, language, nameOf).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
          <UndoForm context={context} id={last.id} back={DEVICES_PATH} />
        </details>
      )}
      <Detected context={context} siteId={id} detected={detected} />
    </Layout>
  );
}

/** Devices that were seen on the broker of the gateway. */
function Detected({
  context,
  siteId,
  detected,
}: Pick<ListProps, "context" | "detected"> & { siteId: string }) {
  const { language } = context;
  const texts = textsOf(language).actuators;
  if (detected.length === 0) return null;
  return (
    <section class="card">
      <h2>{texts.detected.title}</h2>
      <p>{texts.detected.intro}</p>
      <DetectedDevices {...{ siteId, detected, language }} />
    </section>
  );
}

/** Links that add devices: the wizard with what is known of them. */
function DetectedDevices(props: { siteId: string; detected: DetectedList; language: Language }) {
  const { use } = textsOf(props.language).actuators.detected;
  return (
    <ul class="links">
      {props.detected.map(({ device, template }) => {
        const { transport, ...rest } = device.with;
        const query = new URLSearchParams({ site: props.siteId, template: template.id });
        if (transport !== undefined) query.set("transport", String(transport));
        for (const [name, value] of Object.entries(rest)) query.set(`p.${name}`, String(value));
        const name = `${template.name[props.language]}: ${device.name}`;
        return (
          <li key={name}>
            <a href={`${NEW_PATH}?${query}`}>{use(name)}</a>
          </li>
        );
      })}
    </ul>
  );
}

/** What a change did to the devices, a line each. */
function changedDevices(
  { before, after }: SavedChange,
  language: Language,
  nameOf: ListProps["nameOf"],
): string[] {
  const { added, removed, changed } = textsOf(language).actuators.changes;
  const [old, now] = [before, after].map(({ inForce: { plant } }) => [
    ...(plant.actuators ?? []),
    ...(plant.devices ?? []),
  ]) as [(ActuatorSettings | DeviceSettings)[], (ActuatorSettings | DeviceSettings)[]];
  const same = (id: string) => old.find((one) => one.id === id);
  return [
    ...old.filter(({ id }) => now.every((one) => one.id !== id)).map((one) => removed(nameOf(one))),
    ...now
      .filter((one) => !isDeepStrictEqual(same(one.id), one))
      .map((one) => (same(one.id) === undefined ? added : changed)(nameOf(one))),
  ];
}
