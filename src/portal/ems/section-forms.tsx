import type { ComponentChildren } from "preact";
import { SUPPLIER_TARIFFS } from "../../config/presets.js";
import { textsOf } from "../../texts/index.js";
import type { PageContext } from "../context.js";
import { ErrorSummary, Form, SubmitButton } from "../ui/form.js";
import { Fields, type Shown } from "./field-row.js";
import { FEE_BASE, FEE_FIELDS, FEE_PREFIX } from "./held-texts.js";
import { SUPPLIERS, TARIFF_PRESETS } from "./requested-change.js";
import {
  DefaultButton,
  DropButton,
  EMS_PATH,
  NewRow,
  RemoveButton,
  SectionForm,
  sectionOf,
  summary,
} from "./section-form.js";
import { fieldsOf, prefixOf } from "./sections.js";

interface PlainProps {
  context: PageContext;
  shown: Shown;
  canReset: boolean;
}

/** A section of single values. */
export function PlainSection({ section, ...props }: PlainProps & { section: "place" | "load" | "grid" }) {
  return (
    <SectionForm {...props} section={section}>
      <Fields shown={props.shown} section={section} fields={fieldsOf(section)} prefix={prefixOf(section)} />
    </SectionForm>
  );
}

/** The battery, or the button that enters one. */
export function BatterySection(props: PlainProps & { present: boolean }) {
  const texts = textsOf(props.shown.language).ems.battery;
  return (
    <SectionForm
      {...props}
      section="battery"
      buttons={props.present && <DropButton section="battery" text={texts.drop} />}
    >
      {!props.present && <p class="empty">{texts.none}</p>}
      <Fields shown={props.shown} section="battery" fields={fieldsOf("battery")} prefix="battery." />
    </SectionForm>
  );
}

/** The tariff with the windows of its grid fee, and ready-made ones. */
export function TariffSection(
  props: PlainProps & { present: boolean; hasPeriods: boolean; feeRows: readonly string[] },
) {
  const { shown, present, hasPeriods, feeRows } = props;
  const texts = textsOf(shown.language).ems;
  // Periods are edited in the configuration file: these fields would replace them.
  if (hasPeriods) {
    return (
      <section class="card" id="tariff">
        <h2>{texts.sections.tariff.title}</h2>
        <p>{texts.tariff.periods}</p>
      </section>
    );
  }
  const fields = fieldsOf("tariff");
  const isFeedIn = (path: readonly string[]) => path[0] === "feed_in";
  return (
    <SectionForm
      {...props}
      section="tariff"
      buttons={present && <DropButton section="tariff" text={texts.tariff.drop} />}
    >
      {!present && <p class="empty">{texts.tariff.none}</p>}
      <Fields
        shown={shown}
        section="tariff"
        fields={[...fields.filter(({ path }) => !isFeedIn(path)), FEE_BASE]}
        prefix="tariff."
      />
      <h3>{texts.tariff.windows}</h3>
      {feeRows.map((row, index) => (
        <fieldset key={row}>
          <legend>{`${texts.tariff.window} ${index + 1}`}</legend>
          <Fields shown={shown} section="fee" fields={FEE_FIELDS} prefix={`${FEE_PREFIX}${row}.`} />
          <RemoveButton
            name={`tariff.grid_fee_ct_kwh.${row}`}
            shown={shown}
            what={`${texts.tariff.window} ${index + 1}`}
          />
        </fieldset>
      ))}
      <NewRow shown={shown} title={texts.tariff.newWindow}>
        <Fields
          shown={shown}
          section="fee"
          fields={FEE_FIELDS}
          prefix={`${FEE_PREFIX}${nextRow(feeRows)}.`}
        />
      </NewRow>
      <h3>{texts.tariff.feedIn}</h3>
      <Fields
        shown={shown}
        section="tariff"
        fields={fields.filter(({ path }) => isFeedIn(path))}
        prefix="tariff."
      />
      <h3>{texts.tariff.presets}</h3>
      <ul class="presets">
        {TARIFF_PRESETS.map((preset) => (
          <li key={preset}>
            <SubmitButton kind="plain" name="preset" value={preset}>
              {texts.presets[preset].label}
            </SubmitButton>
            <p class="hint">{texts.presets[preset].hint}</p>
          </li>
        ))}
        {SUPPLIERS.map((supplier) => (
          <li key={supplier}>
            <SubmitButton kind="plain" name="preset" value={supplier}>
              {SUPPLIER_TARIFFS[supplier].name}
            </SubmitButton>
            <p class="hint">{texts.supplierHint(SUPPLIER_TARIFFS[supplier])}</p>
          </li>
        ))}
      </ul>
    </SectionForm>
  );
}

/** A list of which each row is a set of fields, with an empty one at its end. */
export function RowsSection({
  section,
  rows,
  rowTitle,
  newTitle,
  below,
  ...props
}: PlainProps & {
  section: "batteries" | "pv" | "telemetry";
  rows: readonly string[];
  rowTitle: (number: number) => string;
  newTitle: string;
  /** What stands below the fields of a row. */
  below?: (row: string) => ComponentChildren;
}) {
  const { shown } = props;
  const prefix = prefixOf(section);
  const fields = fieldsOf(section);
  return (
    <SectionForm {...props} section={section}>
      {rows.map((row, index) => (
        <fieldset key={row}>
          <legend>{rowTitle(index + 1)}</legend>
          <Fields shown={shown} section={section} fields={fields} prefix={`${prefix}${row}.`} />
          {below?.(row)}
          <RemoveButton name={prefix + row} shown={shown} what={rowTitle(index + 1)} />
        </fieldset>
      ))}
      <NewRow shown={shown} title={newTitle} open={rows.length === 0}>
        <Fields shown={shown} section={section} fields={fields} prefix={`${prefix}${nextRow(rows)}.`} />
      </NewRow>
    </SectionForm>
  );
}

/** The devices: a form for each number, since an empty device is a device too. */
export function SlotsSection({
  context,
  shown,
  canReset,
  assigned,
}: PlainProps & { assigned: readonly string[] }) {
  const texts = textsOf(shown.language).ems;
  const fields = fieldsOf("slots");
  const errors = Object.entries(shown.errors).filter(([name]) => sectionOf(name) === "slots");
  return (
    <section class="card" id="slots" aria-labelledby="slots-title">
      <h2 id="slots-title">{texts.sections.slots.title}</h2>
      <p>{texts.sections.slots.intro}</p>
      <ErrorSummary context={context} errors={summary(shown, "slots")} />
      {["1", "2", "3", "4", "5", "6", "7", "8"].map((number) => {
        const isAssigned = assigned.includes(number);
        const hasErrors = errors.some(([name]) => name.startsWith(`slots.${number}.`));
        const title = texts.slot(Number(number));
        const label = shown.texts.get(`slots.${number}.label`) ?? "";
        return (
          <details key={number} class="row" open={hasErrors || isAssigned}>
            <summary>{`${title}: ${isAssigned ? label : texts.newSlot}`}</summary>
            <Form context={context} action={`${EMS_PATH}#slots`} label={title}>
              <DefaultButton />
              <Fields
                shown={shown}
                section="slots"
                fields={fields.filter(({ part }) => part === undefined)}
                prefix={`slots.${number}.`}
              />
              {(["vehicle", "store", "sg_ready"] as const).map((part) => (
                <SlotPart key={part} shown={shown} part={part} prefix={`slots.${number}.`} />
              ))}
              <div class="buttons">
                <SubmitButton>{isAssigned ? texts.save : texts.add}</SubmitButton>
                {isAssigned && <RemoveButton name={`slots.${number}`} shown={shown} what={title} />}
              </div>
            </Form>
          </details>
        );
      })}
      {canReset && (
        <Form context={context} action={`${EMS_PATH}#slots`} label={texts.reset}>
          <SubmitButton kind="plain" name="reset" value="slots">
            {texts.reset}
          </SubmitButton>
        </Form>
      )}
    </section>
  );
}

/** An optional section of a device; its required field is empty where the device has none. */
function SlotPart({
  shown,
  part,
  prefix,
}: {
  shown: Shown;
  part: "vehicle" | "store" | "sg_ready";
  prefix: string;
}) {
  const fields = fieldsOf("slots").filter((field) => field.part === part);
  const isUsed = fields.some((field) => field.required && shown.texts.get(prefix + field.path.join(".")));
  const hasErrors = Object.keys(shown.errors).some((name) => name.startsWith(`${prefix}${part}`));
  return (
    <details open={isUsed || hasErrors}>
      <summary>{textsOf(shown.language).ems.slotParts[part]}</summary>
      <Fields shown={shown} section="slots" fields={fields} prefix={prefix} />
    </details>
  );
}

/** Name of the row after the last one. */
function nextRow(rows: readonly string[]): string {
  return String(Math.max(-1, ...rows.map(Number)) + 1);
}
