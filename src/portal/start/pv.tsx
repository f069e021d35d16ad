import { textsOf } from "../../texts/index.js";
import { arrayRows, arraysOfRows } from "../ems/shared-inverters.js";
import { NumberField, SelectField, TextField } from "../ui/form.js";
import { numberIn, type SettingsStep, textOfNumber } from "./step.js";

/** Degrees of the directions, clockwise from north. */
const DIRECTIONS = { n: 0, ne: 45, e: 90, se: 135, s: 180, sw: 225, w: 270, nw: 315 } as const;
type Direction = keyof typeof DIRECTIONS;

/** Most arrays that the wizard asks for. */
const MOST = 8;

/** The PV arrays: power, tilt, and a direction in words or in degrees. */
export const pvStep: SettingsStep = {
  held(plant, language) {
    const shown = arrayRows(plant);
    return Object.fromEntries(
      plant.pv.slice(0, MOST).flatMap((array, row) => {
        const direction = Object.entries(DIRECTIONS).find(([, degrees]) => degrees === array.azimuth_deg);
        return [
          [`pv.${row}.peak_kw`, textOfNumber(array.peak_kw, language)],
          [`pv.${row}.tilt_deg`, textOfNumber(array.tilt_deg, language)],
          [`pv.${row}.direction`, direction?.[0] ?? "s"],
          [`pv.${row}.azimuth_deg`, direction === undefined ? textOfNumber(array.azimuth_deg, language) : ""],
          [`pv.${row}.inverter`, array.inverter ?? ""],
          [`pv.${row}.inverter_kw`, textOfNumber(shown[row]?.inverter_kw, language)],
        ];
      }),
    );
  },

  read(typed, { plant }) {
    const rows = Array.from({ length: MOST }, (_, row) => row).filter(
      (row) => typed.text(`pv.${row}.peak_kw`) !== "",
    );
    const arrays = rows.map((row) => {
      const number = (key: string) => numberIn(typed, `pv.${row}.${key}`);
      const direction = typed.text(`pv.${row}.direction`) as Direction;
      return {
        // Losses are kept; they are set in "My home".
        ...plant.pv[row],
        inverter: typed.text(`pv.${row}.inverter`).trim() || null,
        inverter_kw: number("inverter_kw") ?? null,
        peak_kw: number("peak_kw"),
        tilt_deg: number("tilt_deg") ?? 30,
        azimuth_deg: number("azimuth_deg") ?? DIRECTIONS[direction] ?? DIRECTIONS.s,
      };
    });
    const edited = arraysOfRows(
      arrays.map((value, index) => ({ name: String(rows[index]), value })),
      plant,
    );
    const kept = plant.pv.slice(MOST);
    const isKept = ({ id }: { id: string }) =>
      kept.some(({ inverter }) => inverter === id) && !edited.inverters.some((one) => one.id === id);
    return {
      plant: {
        pv: [...edited.pv, ...kept],
        inverters: [...edited.inverters, ...plant.inverters.filter(isKept)],
      },
      nameOf: ([section, index = "0", key = "peak_kw"]) =>
        section === "inverters"
          ? `pv.${edited.rowOf[Number(index)] ?? 0}.inverter_kw`
          : `pv.${rows[Number(index)] ?? 0}.${key}`,
    };
  },

  Fields({ context, value, field }) {
    const { start, ems } = textsOf(context.language);
    const { pv: texts } = start;
    const { fields } = ems;
    const used = Array.from({ length: MOST }, (_, row) => row).filter(
      (row) => value(`pv.${row}.peak_kw`) !== "",
    );
    const count = Math.min(MOST, Math.max(1, (used.at(-1) ?? -1) + 1) + Number(value("add") !== ""));
    return (
      <>
        {Array.from({ length: count }, (_, row) => {
          const own = (key: string) => field(`pv.${row}.${key}`);
          return (
            <fieldset key={own("row").name}>
              <legend>{texts.array(row + 1)}</legend>
              <div class="fields">
                <NumberField {...own("peak_kw")} label={texts.peak} hint={texts.peakHint} unit="kWp" />
                <NumberField
                  {...own("tilt_deg")}
                  value={own("tilt_deg").value || "30"}
                  label={texts.tilt}
                  hint={texts.tiltHint}
                  unit="°"
                />
                <SelectField
                  {...own("direction")}
                  value={own("direction").value || "s"}
                  label={texts.direction}
                  options={Object.entries(DIRECTIONS).map(([id, degrees]) => ({
                    value: id,
                    label: `${texts.directions[id as Direction]} (${degrees}°)`,
                  }))}
                />
                <NumberField
                  {...own("azimuth_deg")}
                  label={texts.azimuth}
                  hint={texts.azimuthHint}
                  unit="°"
                />
                <NumberField {...own("inverter_kw")} {...fields["pv.inverter_kw"]} unit="kW" />
                {(count > 1 || own("inverter").value !== "") && (
                  <TextField {...own("inverter")} {...fields["pv.inverter"]} />
                )}
              </div>
            </fieldset>
          );
        })}
        {count < MOST && (
          <p>
            <button type="submit" class="button plain" name="add" value="row">
              {texts.add}
            </button>
          </p>
        )}
      </>
    );
  },
};
