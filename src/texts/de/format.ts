import type { englishFormat } from "../en/format.js";

export const germanFormat: typeof englishFormat = {
  locale: "de-AT",
  decimal: ",",
  today: "heute",
  tomorrow: "morgen",
  minutes: (count) => (count === 1 ? "1 Minute" : `${count} Minuten`),
  hours: (count) => (count === 1 ? "1 Stunde" : `${count} Stunden`),
  // In the dative, as after "vor".
  days: (count) => (count === 1 ? "1 Tag" : `${count} Tagen`),
  range: (least, most) => `${least} bis ${most}`,
};
