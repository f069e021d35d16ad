import { BATTERY_MODELS } from "../../config/battery-models.js";
import { textsOf } from "../../texts/index.js";
import { NumberField, SelectField } from "../ui/form.js";
import { numberIn, type SettingsStep, textOfNumber } from "./step.js";

const OTHER = "other";
const NONE = "none";
const KEYS = ["capacity_kwh", "max_charge_power_kw", "max_discharge_power_kw", "efficiency_pct"] as const;

/** A common battery, typed values, or none. */
export const batteryStep: SettingsStep = {
  held: ({ battery }, language) =>
    battery === null
      ? { model: NONE }
      : {
          model: OTHER,
          ...Object.fromEntries(KEYS.map((key) => [key, textOfNumber(battery[key], language)])),
        },

  read(typed, { plant }) {
    const texts = textsOf(typed.language).start.battery;
    const chosen = typed.text("model");
    const nameOf = (path: readonly string[]) => path.at(-1) ?? "model";
    if (chosen === NONE) return { plant: { battery: null, batteries: [] }, nameOf };
    const model = BATTERY_MODELS.find(({ id }) => id === chosen);
    if (model === undefined && chosen !== OTHER) return { errors: { model: texts.choose } };
    // The values of the battery so far are not those of the model that now takes its place.
    const isReplaced = model !== undefined && typed.text("shown_model") === OTHER;
    const own = Object.fromEntries(
      KEYS.flatMap((key) => {
        const value = numberIn(typed, key);
        const isLeft = isReplaced && value === plant.battery?.[key];
        return value === undefined || isLeft ? [] : [[key, value]];
      }),
    );
    if (model === undefined && own.capacity_kwh === undefined)
      return { errors: { capacity_kwh: texts.capacityMissing } };
    const preset = model && {
      capacity_kwh: model.capacityKwh,
      max_charge_power_kw: model.chargeKw,
      max_discharge_power_kw: model.dischargeKw,
      efficiency_pct: model.efficiencyPct,
    };
    const before = plant.batteries.length > 0 ? {} : plant.battery;
    return { plant: { battery: { ...before, ...preset, ...own }, batteries: [] }, nameOf };
  },

  Fields({ context, site, value, field }) {
    const texts = textsOf(context.language).start.battery;
    const number = (kwh: number) => textOfNumber(kwh, context.language);
    const chosen = value("model");
    // A model that an earlier version had.
    const isKnown = chosen === NONE || BATTERY_MODELS.some(({ id }) => id === chosen);
    return (
      <>
        {site.plant.batteries.length > 0 && <p class="hint">{texts.several}</p>}
        <input type="hidden" name="shown_model" value={value("shown_model") || value("model")} />
        <SelectField
          {...field("model")}
          label={texts.model}
          value={isKnown ? chosen : OTHER}
          hint={texts.modelHint}
          options={[
            { value: NONE, label: texts.none },
            { value: OTHER, label: texts.other },
            ...BATTERY_MODELS.map(({ id, name, capacityKwh, dischargeKw }) => ({
              value: id,
              label: `${name} (${number(capacityKwh)} kWh, ${number(dischargeKw)} kW)`,
            })),
          ]}
        />
        <div class="only-battery">
          <h3>{texts.values}</h3>
          <p class="hint">{texts.valuesHint}</p>
        </div>
        <div class="fields only-battery">
          {KEYS.map((key) => (
            <NumberField
              key={key}
              {...field(key)}
              label={texts.fields[key]}
              unit={key === "capacity_kwh" ? "kWh" : key === "efficiency_pct" ? "%" : "kW"}
            />
          ))}
        </div>
      </>
    );
  },
};
