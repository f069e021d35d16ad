import { regionOf } from "../../config/postcodes.js";
import { textsOf } from "../../texts/index.js";
import { NumberField, TextField } from "../ui/form.js";
import { numberIn, type SettingsStep, textOfNumber } from "./step.js";

const DAYS = 365;

/** Where the house is, and how much electricity it needs. */
export const placeStep: SettingsStep = {
  held: ({ load }, language) => ({
    year_kwh: textOfNumber(Math.round(load.daily_kwh * DAYS), language),
  }),

  read(typed, site) {
    const texts = textsOf(typed.language).start.place;
    const postcode = typed.text("postcode").replace(/^A-?\s*(?=\d)/i, "");
    const region = regionOf(postcode);
    const [latitude, longitude] = [numberIn(typed, "latitude"), numberIn(typed, "longitude")];
    const hasCoordinates = latitude !== undefined || longitude !== undefined;
    if (!hasCoordinates && region === undefined)
      return { errors: { postcode: postcode === "" ? texts.missing : texts.unknown } };
    const year = numberIn(typed, "year_kwh");
    const daily = typeof year === "number" ? Math.round((year / DAYS) * 100) / 100 : year;
    return {
      plant: {
        // Typed coordinates are more exact than the region of a postcode.
        latitude: (hasCoordinates ? latitude : region?.latitude) ?? null,
        longitude: (hasCoordinates ? longitude : region?.longitude) ?? null,
        ...(daily !== undefined && { load: { ...site.plant.load, daily_kwh: daily } }),
      },
      nameOf: ([section = ""]) => (section === "load" ? "year_kwh" : section),
    };
  },

  Fields({ context, value, errors, field }) {
    const texts = textsOf(context.language).start.place;
    const hasCoordinates = value("latitude") !== "" || errors.latitude !== undefined;
    return (
      <>
        <TextField
          {...field("postcode")}
          label={texts.postcode}
          hint={texts.postcodeHint}
          inputMode="numeric"
          autocomplete="postal-code"
        />
        <details open={hasCoordinates}>
          <summary>{texts.coordinates}</summary>
          <NumberField {...field("latitude")} label={texts.latitude} />
          <NumberField {...field("longitude")} label={texts.longitude} />
        </details>
        <NumberField {...field("year_kwh")} label={texts.year} hint={texts.yearHint} unit="kWh" />
      </>
    );
  },
};
