import { textsOf } from "../../texts/index.js";
import { SubmitButton } from "../ui/form.js";
import { FROM_FIELD, FromDateField } from "../ui/from-date.js";
import { Fields } from "./field-row.js";
import { FEE_BASE, fieldsOf } from "./fields.js";
import { hourlySuppliers, TARIFF_PRESETS } from "./presets.js";
import { RemoveLink, ResetLink, SectionForm, type SectionProps } from "./section-form.js";
import { prefixOf } from "./sections.js";

/** A section of single values. */
export function PlainSection(props: SectionProps & { section: "place" | "load" | "grid" }) {
  const { section, shown } = props;
  return (
    <SectionForm {...props} buttons={<ResetLink {...props} />}>
      <Fields shown={shown} section={section} fields={fieldsOf(section)} prefix={prefixOf(section)} />
    </SectionForm>
  );
}

/** The battery, or the form that enters one. */
export function BatterySection(props: SectionProps & { present: boolean }) {
  const { shown, present } = props;
  const texts = textsOf(shown.language).ems.battery;
  return (
    <SectionForm
      {...props}
      section="battery"
      buttons={
        <>
          {present && <RemoveLink section="battery" value="battery" text={texts.drop} />}
          <ResetLink {...props} section="battery" />
        </>
      }
    >
      {!present && <p class="empty">{texts.none}</p>}
      <Fields shown={shown} section="battery" fields={fieldsOf("battery")} prefix="battery." />
    </SectionForm>
  );
}

/** The tariff without the time windows of its grid fee. */
export function TariffSection(props: SectionProps & { present: boolean }) {
  const { shown, present } = props;
  const texts = textsOf(shown.language).ems;
  const fields = fieldsOf("tariff");
  const feedIn = fields.filter(({ path }) => path[0] === "feed_in");
  return (
    <SectionForm
      {...props}
      section="tariff"
      buttons={
        <>
          {present && <RemoveLink section="tariff" value="tariff" text={texts.tariff.drop} />}
          <ResetLink {...props} section="tariff" />
        </>
      }
    >
      {!present && <p class="empty">{texts.tariff.none}</p>}
      <details class="row">
        <summary>{texts.tariff.presets}</summary>
        <ul class="presets">
          {TARIFF_PRESETS.map((preset) => (
            <li key={preset}>
              <SubmitButton kind="plain" name="preset" value={preset}>
                {texts.presets[preset].label}
              </SubmitButton>
              <p class="hint">{texts.presets[preset].hint}</p>
            </li>
          ))}
          {hourlySuppliers().map(({ id, name, asOf, energy }) => (
            <li key={id}>
              <SubmitButton kind="plain" name="preset" value={id}>
                {name}
              </SubmitButton>
              <p class="hint">
                {texts.supplierHint({
                  markupPct: energy.markup_pct ?? 0,
                  markupCtKwh: energy.markup_ct_kwh ?? 0,
                  asOf,
                })}
              </p>
            </li>
          ))}
        </ul>
      </details>
      <Fields
        shown={shown}
        section="tariff"
        fields={[...fields.filter((field) => !feedIn.includes(field)), FEE_BASE, ...feedIn]}
        prefix="tariff."
      />
      {present && <FromDateField context={props.context} value={shown.typed.get(FROM_FIELD)} />}
    </SectionForm>
  );
}
