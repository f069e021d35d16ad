import type { TelemetryMapEntry } from "../../config/settings.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { type FieldErrors, Notice } from "../ui/form.js";
import { Layout } from "../ui/layout.js";
import type { FieldTexts } from "./field-text.js";
import { FEE_PREFIX, type HeldSettings, heldTexts } from "./held-texts.js";
import { type LastPayload, Preview } from "./payload-preview.js";
import { BatterySection, PlainSection, RowsSection, SlotsSection, TariffSection } from "./section-forms.js";
import { SECTIONS, type Section } from "./sections.js";

export interface EmsPageProps {
  context: PageContext;
  held: HeldSettings;
  /** What is set in the portal over the configuration file. */
  resettable: ReadonlySet<Section>;
  /** A refused form: what was typed, and why it is refused. */
  typed: FieldTexts;
  errors: FieldErrors;
  saved: boolean;
  /** Whether an entry of the topic map is ignored until the administrator approves its topic. */
  isWaiting(entry: TelemetryMapEntry): boolean;
  /** The last messages on topics that an entry of the topic map matches. */
  payloadsOf(entry: TelemetryMapEntry): readonly LastPayload[];
}

/** The page /settings/ems: one form a section, in the order in which a newcomer fills them in. */
export function EmsPage(props: EmsPageProps) {
  const { context, held, typed, errors } = props;
  const { language } = context;
  const texts = textsOf(language).ems;
  const shownTexts = new Map([...heldTexts(held), ...typed]);
  const shown = { language, texts: shownTexts, typed, errors };
  const common = (section: Section) => ({ context, shown, canReset: props.resettable.has(section) });
  const sections = SECTIONS.filter((id) => id !== "battery" || held.plant.batteries.length === 0);
  return (
    <Layout context={context} title={texts.title} stylesheets={["dashboard.css"]}>
      <p class="lead">{`${held.plant.name}: ${texts.intro}`}</p>
      {props.saved && <Notice kind="success">{texts.saved}</Notice>}
      <nav class="contents" aria-label={texts.contents}>
        <ul>
          {sections.map((id) => (
            <li key={id}>
              <a href={`#${id}`}>{texts.sections[id].title}</a>
            </li>
          ))}
          <li>
            <a href="/connect#links" id="links">
              {textsOf(language).connect.links.title}
            </a>
          </li>
        </ul>
      </nav>
      <PlainSection {...common("place")} section="place" />
      {held.plant.batteries.length === 0 && (
        <BatterySection {...common("battery")} present={held.plant.battery !== null} />
      )}
      <RowsSection
        {...common("batteries")}
        section="batteries"
        rows={rowsIn(shownTexts, "batteries.", held.plant.batteries.length)}
        rowTitle={texts.batteryRow}
        newTitle={texts.newBattery}
      />
      <RowsSection
        {...common("pv")}
        section="pv"
        rows={rowsIn(shownTexts, "pv.", held.plant.pv.length)}
        rowTitle={texts.array}
        newTitle={texts.newArray}
      />
      <PlainSection {...common("load")} section="load" />
      <PlainSection {...common("grid")} section="grid" />
      <TariffSection
        {...common("tariff")}
        present={held.plant.tariff !== null}
        hasPeriods={Array.isArray(held.plant.tariff)}
        feeRows={rowsIn(shownTexts, FEE_PREFIX, 0)}
      />
      <SlotsSection {...common("slots")} assigned={held.plant.slots.map(({ slot }) => String(slot))} />
      <RowsSection
        {...common("telemetry")}
        section="telemetry"
        rows={rowsIn(shownTexts, "mqtt.telemetry.", held.telemetry.length)}
        rowTitle={texts.entry}
        newTitle={texts.newEntry}
        below={(row) => {
          const entry = held.telemetry[Number(row)];
          if (entry === undefined) return null;
          if (props.isWaiting(entry)) return <Notice kind="warning">{texts.waiting}</Notice>;
          return (
            <Preview
              context={context}
              entry={entry}
              payloads={props.payloadsOf(entry)}
              zone={held.plant.timezone}
            />
          );
        }}
      />
    </Layout>
  );
}

/** Rows that are held or were typed into, in their order; the row offered empty is none of them. */
function rowsIn(texts: FieldTexts, prefix: string, held: number): string[] {
  const rows = new Set(Array.from({ length: held }, (_, index) => String(index)));
  for (const [name, text] of texts) {
    const [row = ""] = name.startsWith(prefix) ? name.slice(prefix.length).split(".") : [];
    const isRequired = /\.(id|peak_kw|topic|ct_kwh)$/.test(name);
    if (/^\d{1,4}$/.test(row) && isRequired && text !== "") rows.add(row);
  }
  return [...rows].sort((a, b) => Number(a) - Number(b));
}
