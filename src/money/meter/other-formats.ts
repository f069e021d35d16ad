import { ENERGY, type MeterFormat } from "./formats.js";

/** Column with the unit of a row. */
export const UNIT = /^(einheit|masseinheit|abrechnungsmasseinheit|unit)$/;

/** Name of the values of a file that states no unit. */
export const ASSUMED_KWH = "Energie je Intervall";

/** Names of columns with the start or the end of the interval. */
export const START_NAME = /beginn|anfang|start|^(datum |zeit )?(von|ab)\b|^from\b/;
export const END_NAME =
  /^(?!.*\bk?wh?\b).*((^|[ _(/-])(ende?|bis|to)($|[ _)-])|(zeit|intervall|perioden?)-?ende|^end(zeit|datum|e))/;

/** Any table with a time and columns in kWh; whether times are start or end must follow from its names or rows. */
export const OTHER_FORMAT: Omit<MeterFormat, "label"> = {
  id: "other",
  operator: "unknown",
  time: /^(?!.*\bk?wh?\b)(datum|date|tag|zeit(punkt|stempel)?|\w*zeitraum|timestamp|time|date ?time|epoch|unix ?(zeit|time)?(stempel|stamp)?|ts|beginn|anfang|start(zeit|zeitpunkt|datum)?|ende?|end(zeit|zeitpunkt|datum)|von|bis|ab|from|to|(mess|ablese|lese|liefer)(zeit|zeitpunkt|datum)|(mess|zeit)?(intervall|interval|periode|period)([ -]?(beginn|anfang|start|ende?))?|datum ?\/ ?(uhr)?zeit)($|[^a-z])/,
  until: END_NAME,
  clock: /^(((von|ab|start|beginn)[ -]?)?(zeit|uhrzeit)([ -](von|ab|start|beginn))?|zeitraum|time|von|ab)$/,
  // Prices per kWh are no energy.
  values: [{ header: /^(?!tarif|.*(\bct|cent|eur|€|preis|price|kosten|cost)).*kwh/ }],
  status: /^(?!ersatzwert).*(status|qualitaet|quality|wertart|ableseart|kennzeichen)/,
  substitute: /^ersatzwert$/,
  meterPoint:
    /^(?!.*\bk?wh?\b)(zaehlpunkt.*|messpunkt.*|messlokation.*|marktlokation.*|zaehler[ -]?(nummer|nr\.?)|meter[ _-]?(id|number|point)|metering ?point( ?id)?)$/,
  code: /^(?!.*\bk?wh?\b)(obis.*|kennzahl|kennziffer|(energie|liefer|fluss)?richtung|(energy)?direction)$/,
};

/** Any table with energy in one column and its unit in another. */
export const OTHER_WITH_UNIT: Omit<MeterFormat, "label"> = {
  ...OTHER_FORMAT,
  values: [{ header: new RegExp(`^(${ENERGY}|wert|menge|energie|messwert)$`) }],
  requires: [UNIT],
  unit: UNIT,
};

/** Any table with energy in another unit, or with mean power only. */
const inUnit = (unit: string): Omit<MeterFormat, "label"> => ({
  ...OTHER_FORMAT,
  values: [
    {
      header: new RegExp(
        `^(?!.*(\\bct|cent|eur|€|preis|price|kosten|cost|max|spitze|blind)).*[[(_ ](${unit})[\\])]?$`,
      ),
    },
  ],
});

/** Any table with readings of a counter only. */
const COUNTER_READINGS: Omit<MeterFormat, "label"> = {
  ...OTHER_FORMAT,
  values: [{ header: /zaehlerstand|zaehlwerk|(^|[ _])(stand|counter|reading)($|[ _([])/ }],
  unit: UNIT,
  isCounter: true,
};

/** Energy whose unit the file does not state. */
const WITHOUT_UNIT: Omit<MeterFormat, "label"> = {
  ...OTHER_FORMAT,
  values: [{ header: /^energie je intervall/ }],
  unitIsAssumed: true,
};

/** Formats of files of other operators, the most certain first. */
export const OTHER_FORMATS = [
  OTHER_FORMAT,
  OTHER_WITH_UNIT,
  inUnit("wh|mwh"),
  inUnit("kw|w"),
  COUNTER_READINGS,
  WITHOUT_UNIT,
];
