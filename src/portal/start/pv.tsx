import { textsOf } from "../../texts/index.js";
import { NumberField, SelectField } from "../ui/form.js";
import { numberIn, type SettingsStep, textOfNumber } from "./step.js";

/** Degrees of the directions, clockwise from north. */
const DIRECTIONS = { n: 0, ne: 45, e: 90, se: 135, s: 180, sw: 225, w: 270, nw: 315 } as const;
type Direction = keyof typeof DIRECTIONS;

/** Most arrays that the wizard asks for. */
const MOST = 8;

/** The PV arrays: power, tilt, and a direction in words or in degrees. */
export const pvStep: SettingsStep = {
  held: ({ pv }, language) =>
    Object.fromEntries(
      pv.slice(0, MOST).flatMap((array, row) => {
        const direction = Object.entries(DIRECTIONS).find(([, degrees]) => degrees === array.azimuth_deg);
        return [
          [`pv.${row}.peak_kw`, textOfNumber(array.peak_kw, language)],
          [`pv.${row}.tilt_deg`, textOfNumber(array.tilt_deg, language)],
          [`pv.${row}.direction`, direction?.[0] ?? "s"],
          [`pv.${row}.azimuth_deg`, direction === undefined ? textOfNumber(array.azimuth_deg, language) : ""],
        ];
      }),
    ),

  read(typed, { plant }) {
    const rows = Array.from({ length: MOST }, (_, row) => row).filter(
      (row) => typed.text(`pv.${row}.peak_kw`) !== "",
    );
    const arrays = rows.map((row) => {
      const number = (key: string) => numberIn(typed, `pv.${row}.${key}`);
      const direction = typed.text(`pv.${row}.direction`) as Direction;
      return {
        // Losses and inverter are kept; they are set in "My home".
        ...plant.pv[row],
        peak_kw: number("peak_kw"),
        tilt_deg: number("tilt_deg") ?? 30,
        azimuth_deg: number("azimuth_deg") ?? DIRECTIONS[direction] ?? DIRECTIONS.s,
      };
    });
    const pv = [...arrays, ...plant.pv.slice(MOST)];
    const inverters = plant.inverters.filter(({ id }) => pv.some(({ inverter }) => inverter === id));
    return {
      plant: { pv, inverters },
      nameOf: ([section, index = "0", key = "peak_kw"]) =>
        section === "inverters" ? "pv.0.peak_kw" : `pv.${rows[Number(index)] ?? 0}.${key}`,
    };
  },

  Fields({ context, value, field }) {
    const texts = textsOf(context.language).start.pv;
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
