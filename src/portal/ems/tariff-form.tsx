import { localDate } from "../../core/time/zone.js";
import { isSame, ownPeriods } from "../../tariff/apply-presets.js";
import { tariffPresets } from "../../tariff/presets.js";
import type { Tariff, TariffPeriod } from "../../tariff/tariff.js";
import { formatOf } from "../../texts/format.js";
import { textsOf } from "../../texts/index.js";
import { type FieldSpec, FormFields } from "../ui/form.js";
import { dateIn, FROM_FIELD, fromDateField } from "../ui/from-date.js";
import { submitButton } from "../ui/parts.js";
import { type Asked, Questions } from "./field-row.js";
import type { HeldSettings } from "./held-texts.js";
import { type PriceField, priceFields } from "./price-fields.js";
import { type HourPrice, priceNote } from "./price-note.js";
import { MOST_FIELDS } from "./questions.js";
import { ResetLink, removeLink, SectionForm, type SectionProps } from "./section-form.js";
import { CURRENT, FIXED, OTHER_SPOT } from "./tariff-choice.js";
import { PERIOD_FIELD, SEEN_FIELD, shownPeriod, tariffMark, tariffTexts } from "./tariff-fields.js";
import { energyWords, feedInWords } from "./tariff-words.js";

interface TariffProps extends SectionProps {
  held: HeldSettings;
  /** The price of the present hour under the tariff of the form. */
  price: HourPrice | undefined;
}

/** The tariff: choices of presets, and the parts of the price with the day that a change applies from. */
export function TariffForm({ held: { plant }, price: priceNow, ...props }: TariffProps) {
  const { context, shown } = props;
  const { language, now } = context;
  const { home, ems, start } = textsOf(language);
  const { tariff: texts } = start;
  const today = localDate(now, plant.timezone);
  const asked = dateIn(shown.typed.get(PERIOD_FIELD) ?? context.query.get("at") ?? "");
  const of = { plant, language, now, date: asked };
  const period = shownPeriod(of);
  const held = tariffTexts(of);
  const value = (name: string) => shown.typed.get(name) ?? held.get(name) ?? "";
  const { suppliers, areas, municipalities, feedIn } = tariffPresets();
  const nameOf = ({ id, name }: Preset) => texts.names[id as "oemag"] ?? SHORT_NAMES[id] ?? name;
  const chosen = (name: string, presets: readonly Preset[]) => {
    const preset = presets.find(({ id }) => id === held.get(name));
    return preset && nameOf(preset);
  };
  const choice = (
    name: string,
    label: string,
    {
      presets,
      first,
      own,
      hint,
    }: { presets: readonly Preset[]; first: Options; own?: string | undefined; hint?: string },
  ): FieldSpec => {
    const current = own === undefined || own === ems.ownValues ? ems.ownValues : `${ems.ownValues}: ${own}`;
    return {
      kind: "choice",
      name,
      label,
      hint,
      options: [
        ...(held.get(name) === CURRENT ? [{ value: CURRENT, label: current }] : []),
        ...first,
        ...presets
          .map((preset) => ({ value: preset.id, label: nameOf(preset) }))
          .sort((a, b) => a.label.localeCompare(b.label, "de")),
      ],
    };
  };
  const price = (name: string, label: string, more: Partial<FieldSpec>): FieldSpec => ({
    kind: "number",
    name,
    label,
    unit: "ct/kWh",
    ...more,
  });
  const asking = (
    id: keyof typeof ems.tariff.questions,
    fields: readonly FieldSpec[],
    { values, number = 1 }: Pick<Asked, "values"> & { number?: number },
  ): Asked => ({
    key: fields.map(({ name }) => name).join(" "),
    title: ems.tariff.questions[id] + (number > 1 ? ` (${number})` : ""),
    values,
    hasError: fields.some(({ name }) => shown.errors[name] !== undefined),
    children: <FormFields fields={fields} textOf={value} errors={shown.errors} />,
  });
  const energy = period && energyWords(period, language);
  const feedInPrice = period && feedInWords(period, language);
  const questions = [
    asking(
      "supplier",
      [
        choice("supplier", texts.supplier, {
          presets: suppliers,
          first: [
            ...(period === undefined ? [{ value: "", label: ems.choose }] : []),
            { value: OTHER_SPOT, label: texts.otherSpot },
            { value: FIXED, label: texts.fixed },
          ],
          own: energy,
          hint: texts.supplierHint,
        }),
        price("markup_ct_kwh", texts.markup, { hint: texts.markupHint, class: "only-spot" }),
        price("fixed_ct_kwh", texts.fixedPrice, { hint: texts.fixedHint, class: "only-fixed" }),
      ],
      { values: chosen("supplier", suppliers) ?? energy },
    ),
    asking(
      "area",
      [
        choice("area", texts.area, {
          presets: areas,
          first: [{ value: "", label: texts.noArea }],
          hint: texts.areaHint,
        }),
        choice("municipality", texts.municipality, {
          presets: municipalities,
          first: [{ value: "", label: texts.noLevy }],
        }),
        { kind: "tick", name: "summer_low", label: texts.summerLow, hint: texts.summerLowHint },
      ],
      { values: chosen("area", areas) },
    ),
    asking(
      "feed_in",
      [
        choice("feed_in", texts.feedIn, {
          presets: feedIn,
          first: [
            { value: "", label: texts.feedInSpot },
            { value: FIXED, label: texts.feedInFixed },
          ],
          own: feedInPrice,
        }),
        price("feed_in_ct_kwh", texts.feedInPrice, { class: "only-fixed-feed-in" }),
      ],
      { values: chosen("feed_in", feedIn) ?? feedInPrice },
    ),
  ];
  const parts = partsOf(period, { language, today }).map(({ part, number, fields }) =>
    asking(
      part,
      fields.map(({ name, label, unit, text }) =>
        text === undefined ? price(name, label, { unit }) : { name, label },
      ),
      { number, values: valuesOf(fields, { period, plant, language }) },
    ),
  );
  return (
    <SectionForm
      {...props}
      section="tariff"
      buttons={
        <>
          {/* Where scripts are disabled. */}
          {submitButton(texts.preview, { kind: "plain", name: "preview", value: "true" })}
          {plant.tariff !== null && props.frame.isHome && removeLink("tariff", "tariff", ems.tariff.drop)}
          <ResetLink {...props} section="tariff" />
        </>
      }
    >
      {plant.tariff === null ? (
        <p class="empty">{ems.tariff.none}</p>
      ) : (
        <Periods context={context} tariff={plant.tariff} period={period!} />
      )}
      <input type="hidden" name={SEEN_FIELD} value={tariffMark(plant.tariff)} />
      {asked !== undefined && <input type="hidden" name={PERIOD_FIELD} value={asked} />}
      <Questions questions={questions} />
      {parts.length > 0 && (
        <>
          <h2>{home.prices.parts}</h2>
          <Questions questions={parts} isMore />
        </>
      )}
      {plant.tariff !== null &&
        fromDateField(context, shown.typed.get(FROM_FIELD) ?? asked, shown.errors[FROM_FIELD])}
      {priceNote(context, priceNow)}
    </SectionForm>
  );
}

/** Names of presets that a phone has no room for. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  aae_spot_stunde_2: "AAE SPOT Stunde II",
  avia_strom_plus: "AVIA Strom Plus 15min",
  energie_ag_oekostrom_spot: "Energie AG Öko Spot",
  energie_steiermark_fix: "Energie Steiermark Fix",
  energie_steiermark_sonnenstrom_spot: "Steiermark SonnenStrom",
  ewerk_perg_heimatstrom: "E-Werk Perg SPOT",
  naturstrom_marktpreis_spot_25: "Naturstrom SPOT 25",
  salzburg: "Salzburg",
  verbund_fix: "VERBUND Fix 12 Monate",
  verbund_oesterreich_tarif: "VERBUND Österreich",
  vkw_dynamisch: "vkw Strom Dynamisch",
  wels_sonnenstrom_spot: "Wels Sonnenstrom SPOT",
  wien_energie_optima_entspannt_plus: "OPTIMA Entspannt plus",
};

type Preset = { id: string; name: string };
type Options = NonNullable<FieldSpec["options"]>;

const PARTS = {
  energy: ["energy", "energy_base_fee"],
  grid: ["grid_usage", "grid_loss"],
  levies: ["levies", "municipal_levy", "vat_pct"],
  feed: ["feed_in"],
  community: ["community"],
} as const;
type Part = keyof typeof PARTS;

/** The amounts of a period, at most three together. */
function partsOf(
  period: TariffPeriod | undefined,
  { language, today }: { language: "de" | "en"; today: string },
): { part: Part; number: number; fields: PriceField[] }[] {
  if (period === undefined) return [];
  const fields = priceFields(period, language, today);
  return (Object.keys(PARTS) as Part[]).flatMap((part) => {
    const keys: readonly string[] = PARTS[part];
    const own = fields.filter(({ path }) => keys.includes(path[0]!));
    return Array.from({ length: Math.ceil(own.length / MOST_FIELDS) }, (_, index) => ({
      part,
      number: index + 1,
      fields: own.slice(index * MOST_FIELDS, (index + 1) * MOST_FIELDS),
    }));
  });
}

/** `Grid usage fee 7 ct/kWh, since 1 Jan 2026`. */
function valuesOf(
  fields: readonly PriceField[],
  {
    period,
    plant,
    language,
  }: { period: TariffPeriod | undefined; plant: HeldSettings["plant"]; language: "de" | "en" },
): string | undefined {
  const { format, ems } = textsOf(language);
  const set = fields.filter(({ value }) => value !== undefined);
  if (set.length === 0 || period === undefined) return undefined;
  const words = set.map(({ label, unit, value }) =>
    `${label} ${String(value).replace(".", format.decimal)} ${unit}`.trimEnd(),
  );
  const keys = [...new Set(set.map(({ path }) => path[0] as keyof TariffPeriod))];
  const since = sinceOf(plant.tariff!, period, keys);
  return [
    ...words,
    ...(since === undefined ? [] : [ems.tariff.since(formatOf(language, plant.timezone).date(since))]),
  ].join(", ");
}

/** The date since which parts of a period are as they are; undefined: always. */
function sinceOf(
  tariff: Tariff,
  period: TariffPeriod,
  keys: readonly (keyof TariffPeriod)[],
): string | undefined {
  const before = ownPeriods(tariff).filter(({ valid_from = "" }) => valid_from <= (period.valid_from ?? ""));
  let since: string | undefined;
  for (const one of before.reverse()) {
    if (!keys.every((key) => isSame(one[key], period[key]))) return since;
    since = one.valid_from;
  }
  return since;
}

/** Since when the shown prices hold, and the other periods with their dates. */
function Periods({
  tariff,
  period,
  context,
}: Pick<SectionProps, "context"> & { tariff: Tariff; period: TariffPeriod }) {
  const { language, site } = context;
  const { home, ems } = textsOf(language);
  const { date } = formatOf(language, site?.plant.timezone ?? "Europe/Vienna");
  const others = ownPeriods(tariff).filter((one) => one.valid_from !== period.valid_from);
  return (
    <>
      <p>{home.prices.since(period.valid_from === undefined ? undefined : date(period.valid_from))}</p>
      {others.map((one) => (
        <p key={one.valid_from} class="hint">
          {one.valid_from === undefined ? ems.tariff.before : ems.tariff.from(date(one.valid_from))}
          {`: ${energyWords(one, language)} `}
          {one.valid_from !== undefined && (
            <>
              <a href={`/settings/ems/tariff?at=${one.valid_from}`}>{ems.tariff.change}</a>
              {" · "}
              <a href={`/settings/ems/tariff?remove=tariff.${one.valid_from}`}>{ems.remove}</a>
            </>
          )}
        </p>
      ))}
    </>
  );
}
