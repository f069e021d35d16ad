import type { Site } from "../../config/site.js";
import { readingOfSlot } from "../../core/domain/sample.js";
import { slotNumber } from "../../core/domain/slot.js";
import type { Language } from "../../core/language.js";
import type { DeviceView } from "../../equipment/reading/view.js";
import type { ActuatorStatus } from "../../equipment/status.js";
import { actuatorComponent } from "../../equipment/status-component.js";
import { presentAndNext, presentText } from "../../plan/now-and-next.js";
import { deviceLabel, type SlotPlan } from "../../plan/windows/slot-schedule.js";
import { formatOf } from "../../texts/format.js";
import { componentText, textsOf } from "../../texts/index.js";
import { BatteryToday, DeviceToday, statusText } from "../dashboard/device-card.js";
import type { DashboardView, PartProps } from "../dashboard/view.js";
import type { SiteContext } from "../page.js";
import { ageText } from "../ui/format.js";
import { type IconName, icon } from "../ui/icons.js";
import { carLink } from "../ui/links.js";
import { type CommandProps, isAnswering, ReaderFacts, ReaderState, Status } from "./device-parts.js";
import { deviceUrl, MAIN, readingText, stateText } from "./labels.js";

export interface CardsProps {
  context: SiteContext;
  house: DashboardView;
  devices: readonly ShownDevice[];
  templateName(id: string): string;
}

type CardProps = Omit<CardsProps, "devices"> & { device: ShownDevice };

const GROUPS = ["battery", "car", "heat", "pv", "other"] as const;

/** The devices of a site by kind; updated while the page is open. */
export function DeviceCards({ devices, ...of }: CardsProps) {
  const texts = textsOf(of.context.language).devicePages;
  if (devices.length === 0) return <p class="empty">{texts.none}</p>;
  return (
    <>
      {GROUPS.map((group) => {
        const ofGroup = devices.filter((device) => groupOf(device) === group);
        if (ofGroup.length === 0) return null;
        return (
          <section key={group}>
            <h2>{texts.groups[group]}</h2>
            <div class="device-cards">
              {ofGroup.map((device, index) => (
                <DeviceCard key={`${device.name} ${index}`} {...of} device={device} />
              ))}
            </div>
          </section>
        );
      })}
    </>
  );
}

function groupOf({ isBattery, slot, view }: ShownDevice): (typeof GROUPS)[number] {
  if (isBattery) return "battery";
  if (slot === undefined) return view?.reads.includes("pv") ? "pv" : "other";
  const { kind } = slot.settings;
  return kind === "wallbox" ? "car" : kind === "other" ? "other" : "heat";
}

function iconOf({ isBattery, slot, view }: ShownDevice): IconName {
  if (isBattery) return "battery";
  return (
    slot?.settings.kind ?? (["pv", "grid"] as const).find((role) => view?.reads.includes(role)) ?? "other"
  );
}

/** What a device does today, what comes next and what one tap does; a fault only where there is one. */
function DeviceCard({ context, house, device, templateName }: CardProps) {
  const { name, view, slot, isBattery } = device;
  const part: PartProps = { house, format: formatOf(context.language, house.site.plant.timezone) };
  return (
    <section class="device-card" aria-label={name}>
      <h3>
        {icon(iconOf(device))}
        {slot?.settings.kind === "wallbox" ? <a href={carLink(house.site, slot.slot)}>{name}</a> : name}
        {slot !== undefined && <span class="muted">{statusText(slot, part.format)}</span>}
      </h3>
      {view !== undefined && !isAnswering(view) && <ReaderState context={context} view={view} />}
      {view !== undefined && view.controls !== null && (
        <CommandState {...{ context }} status={device.status} />
      )}
      <LiveValues {...part} device={device} />
      {isBattery && house.plan !== undefined && (
        <>
          <p>{presentText(presentAndNext(house, part.format))}</p>
          <BatteryToday {...part} />
        </>
      )}
      {slot !== undefined && <DeviceToday {...part} plan={slot} />}
      <Technical {...{ context, device, templateName }} />
    </section>
  );
}

/** What only a technician asks for: connection, commands, confirmation, and the way to the settings. */
function Technical({ context, device, templateName }: Omit<CardProps, "house">) {
  const texts = textsOf(context.language).devicePages;
  const { name, status, view } = device;
  return (
    <details class="technical">
      <summary aria-label={texts.technical(name)}>{texts.technicalLink}</summary>
      {view !== undefined && (
        <>
          <ReaderState context={context} view={view} />
          <ReaderFacts context={context} view={view} templateName={templateName(view.template)} />
          {view.controls !== null && <Status context={context} status={status} />}
        </>
      )}
      <p>
        <a href={settingsUrl(device, context.site)} aria-label={texts.settings(name)}>
          {texts.settingsLink}
        </a>
      </p>
    </details>
  );
}

/** Why a device does not follow, or that hourgate only shows what it would command. */
function CommandState({ context, status }: CommandProps) {
  const { language } = context;
  const texts = textsOf(language).actuators;
  if (status === undefined) return <p>{texts.starting}</p>;
  const { state, detail } = actuatorComponent(status);
  return (
    <>
      {state !== "ok" && (
        <p>
          <span class={`state ${state}`}>{componentText(detail, language)}</span>
        </p>
      )}
      {status.dryRun && status.wanted !== null && (
        <p>
          <span class="badge">{texts.badge.dryRun}</span>
          {` ${texts.fields.wanted}: ${stateText(status.wanted, language)}`}
        </p>
      )}
      {!status.enabled && (
        <p>
          <span class="badge">{texts.badge.disabled}</span>
        </p>
      )}
    </>
  );
}

/** Shown on the card; all others are on the page of the device. */
const MAIN_READINGS: readonly string[] = MAIN;

/** The last readings of a device with their age. */
function LiveValues({ house, format, device }: PartProps & { device: ShownDevice }) {
  const { readings, direction } = textsOf(format.language).devicePages;
  const values: { name: string; text: string; at: Date }[] = [];
  const { soc_pct: soc, battery_power_kw: power } = house.live;
  for (const [name, reading] of Object.entries(device.view?.readings ?? {}))
    if (MAIN_READINGS.includes(name) && reading.value !== null && reading.at !== null)
      values.push({
        name: readings[name] ?? name,
        text: readingText(name, reading, format.language),
        at: reading.at,
      });
  if (device.view === undefined && device.isBattery && soc !== undefined)
    values.push({ name: readings.soc_pct!, text: `${format.number(soc.value, 0)} %`, at: soc.at });
  if (device.view === undefined && device.isBattery && power !== undefined) {
    const way = power.value < 0 ? direction.discharging : direction.charging;
    const text = `${format.number(Math.abs(power.value), 1)} kW ${power.value === 0 ? "" : way}`;
    values.push({ name: readings.power_kw!, text, at: power.at });
  }
  const taken = device.slot && house.live[readingOfSlot(slotNumber(device.slot.slot)!, "power_kw")];
  if (device.view === undefined && taken !== undefined)
    values.push({ name: readings.power_kw!, text: `${format.number(taken.value, 2)} kW`, at: taken.at });
  if (values.length === 0) return null;
  return (
    <dl class="amounts">
      {values.map(({ name, text, at }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
          <dd class="hint">{ageText(at, house.now.getTime(), format.language)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Where the settings of a device are. */
function settingsUrl({ view, slot, isBattery }: ShownDevice, { id }: Site): string {
  if (view !== undefined) return deviceUrl(id, view.id);
  if (isBattery) return "/settings/ems/battery";
  return `/settings/ems/slots?row=${slot?.slot ?? 1}`;
}

/** One device of the page: what hourgate commands, plans or knows of it. */
export interface ShownDevice {
  name: string;
  /** Of its commands; undefined: it takes none, or is being connected. */
  status: ActuatorStatus | undefined;
  /** The plan of a flexible device. */
  slot: SlotPlan | undefined;
  /** What is read of it; undefined: no device of the settings. */
  view: DeviceView | undefined;
  /** It is the battery of the site. */
  isBattery: boolean;
}

interface SiteEquipment {
  actuators: readonly ActuatorStatus[];
  views: readonly DeviceView[];
  slots: readonly SlotPlan[];
}

/** The devices of a site, each once: those that are connected, then the battery and the flexible devices without a connection. */
export function shownDevices(
  site: Site,
  { actuators, views, slots }: SiteEquipment,
  language: Language,
): ShownDevice[] {
  const planOf = (slot: number | undefined) => slots.find((one) => one.slot === slot);
  const hasOwn = (view: DeviceView) => view.controls === "battery" || view.reads.includes("battery");
  const battery = views.find(hasOwn);
  const connected = views.map((view): ShownDevice => {
    const number = [view.controls ?? "", ...view.reads].map(slotNumberIn).find((one) => one !== undefined);
    const status = actuators.find(({ id }) => id === view.id);
    return { name: view.name, status, view, slot: planOf(number), isBattery: view === battery };
  });
  const none = { status: undefined, view: undefined };
  const hasBattery = site.plant.battery !== null && !connected.some(({ isBattery }) => isBattery);
  const isShown = ({ slot }: SlotPlan) => connected.some((one) => one.slot?.slot === slot);
  const { battery: batteryName } = textsOf(language).devicePages;
  return [
    ...connected,
    ...(hasBattery ? [{ ...none, name: batteryName, slot: undefined, isBattery: true }] : []),
    ...slots
      .filter((slot) => !isShown(slot))
      .map((slot) => ({ ...none, name: deviceLabel(slot.settings, language), slot, isBattery: false })),
  ];
}

function slotNumberIn(role: string): number | undefined {
  const number = /^(?:slot|sg_ready) (\d)$/.exec(role)?.[1];
  return number === undefined ? undefined : Number(number);
}
