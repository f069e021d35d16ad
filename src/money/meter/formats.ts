import type { LabelKind, MeterDirection } from "../../core/domain/meter.js";

/** A column with energy (or mean power). */
export interface ValueColumn {
  header: RegExp;
  direction?: MeterDirection;
  isDelivered?: true;
  /** The whole feed-in, what was delivered to a community included. */
  isWhole?: true;
  /** Read only to check a total: the share of one community, or what is left of the feed-in. */
  check?: "part" | "left";
}

/**
 * A family of export files. Patterns are matched against folded header cells (`foldText`); the order of columns does not
 * matter. Without a direction it is derived from header, codes and preamble.
 */
export interface MeterFormat {
  id: string;
  operator: string;
  label: LabelKind;
  /** Column with date and time, or with the date alone when there is a `clock`. */
  time: RegExp;
  clock?: RegExp;
  /** Column with the end of the interval; only used to recognise day values. */
  until?: RegExp;
  values: readonly ValueColumn[];
  /** Columns that must exist as well. */
  requires?: readonly RegExp[];
  /** Text that the lines before the header must contain. */
  preamble?: RegExp;
  status?: RegExp;
  /** Column with the substitute value, or with a mark that the value is one. */
  substitute?: RegExp;
  unit?: RegExp;
  meterPoint?: RegExp;
  /** Columns that distinguish several series in the rows; an OBIS code gives the direction. */
  code?: RegExp;
  group?: RegExp;
  /** The only 02:00 hour of the autumn day holds the energy of both hours. */
  mergesAutumn?: true;
  /** Rows of zeros, counters included, are rows without a value. */
  zeroCounterIsMissing?: RegExp;
  /** Several value columns of tariffs that add up when there is no total. */
  parts?: RegExp;
  /** The values are readings of a counter. */
  isCounter?: true;
  /** Other operators have the same columns: times that prove to be starts or ends win over `label`. */
  hasCommonNames?: true;
  labelIsAssumed?: true;
  directionIsAssumed?: true;
  /** The file does not state the unit: kWh. */
  unitIsAssumed?: true;
}

const KWH = /[([](in )?kwh[)\]]/.source;
export const ENERGY =
  "(verbrauch|bezug|netzbezug|energiemenge|einspeis\\w*|lieferung|erzeugung|vorschub|wirkenergie)";

/** Austrian export formats, the more specific ones first. */
export const METER_FORMATS: readonly MeterFormat[] = [
  {
    id: "normalised",
    operator: "hourgate",
    label: "start",
    time: /^start_utc$/,
    values: [
      { header: /^import_kwh$/, direction: "import" },
      { header: /^export_kwh$/, direction: "export" },
      { header: /^community_kwh$/, direction: "community" },
      { header: /^residual_kwh$/, direction: "residual" },
      { header: /^(generation|pv)_kwh$/, direction: "generation" },
    ],
  },
  {
    id: "wiener-netze-e-control",
    operator: "Wiener Netze",
    label: "end",
    time: /^ende ablesezeitraum$/,
    values: [{ header: new RegExp(`${ENERGY}( ?${KWH})?$`) }],
    unit: /^abrechnungsmasseinheit$/,
  },
  {
    id: "wiener-netze",
    operator: "Wiener Netze",
    label: "start",
    time: /^datum$/,
    clock: /^(zeit )?von$/,
    until: /^(zeit )?bis$/,
    values: [{ header: new RegExp(`${ENERGY}( ?${KWH})?$`) }],
    status: /^$|^status$|^qualitaet$/,
  },
  {
    id: "netz-noe",
    operator: "Netz Niederösterreich",
    label: "end",
    time: /^messzeitpunkt$/,
    values: [
      { header: /^(gemessener |gesamt)?verbrauch( \(kwh\))?$/, direction: "import" },
      { header: /^restnetzbezug( \(kwh\))?$/, direction: "residual" },
      { header: /^eigendeckung( \(kwh\))?$/, direction: "community" },
      { header: /^eigendeckung \(kwh\) \d+$/, direction: "community", check: "part" },
      { header: /^(gemessene )?(einspeisung|menge)( \(kwh\))?$/, direction: "export", isWhole: true },
      { header: /^gemeinschaftsueberschuss( \(kwh\))?$/, direction: "export", check: "left" },
      { header: /^eigendeckung teilnehmer( \(kwh\))?$/, direction: "community", isDelivered: true },
      {
        header: /^eigendeckung teilnehmer \(kwh\) \d+$/,
        direction: "community",
        isDelivered: true,
        check: "part",
      },
    ],
    status: /^qualitaet( eg)?$/,
    substitute: /^ersatzwert$/,
  },
  {
    id: "kaernten-netz",
    operator: "Kärnten Netz",
    label: "start",
    time: /^datum$/,
    clock: /^zeit$/,
    values: [{ header: /^kwh$/ }],
    status: /^status$/,
    hasCommonNames: true,
  },
  {
    id: "netz-ooe",
    operator: "Netz Oberösterreich",
    label: "start",
    time: /^datum$/,
    values: [{ header: /^((einspeisung|verbrauch|bezug) )?kwh$/ }],
    status: /^status$/,
    hasCommonNames: true,
  },
  {
    id: "linz-netz",
    operator: "LINZ NETZ",
    label: "start",
    time: /^datum von$/,
    until: /^datum bis$/,
    values: [{ header: new RegExp(`^${ENERGY}.* in (kwh|eur|euro)$`) }],
    substitute: /^ersatzwert$/,
  },
  {
    id: "salzburg-netz",
    operator: "Salzburg Netz",
    label: "start",
    time: /^datum( und uhrzeit)?$/,
    values: [{ header: /\(([\d.,]+ )?kwh\)$/ }],
    requires: [/^status$/],
    status: /^status$/,
    mergesAutumn: true,
    hasCommonNames: true,
  },
  {
    id: "stromnetz-graz",
    operator: "Stromnetz Graz",
    label: "end",
    time: /^ablesezeitpunkt$/,
    values: [{ header: /^(verbrauch|einspeisung|lieferung|bezug) (gesamt|einheitstarif)/ }],
    parts: /^(verbrauch|einspeisung|lieferung|bezug) (hochtarif|niedertarif)/,
    zeroCounterIsMissing: /^zaehlerstand/,
    status: /^status (gesamt|einheitstarif)/,
  },
  {
    id: "energienetze-steiermark",
    operator: "Energienetze Steiermark",
    label: "start",
    time: /zeitraum beginn$/,
    until: /zeitraum ende$/,
    values: [{ header: /^(verbrauch|wert|leistung|bezug|einspeisung|lieferung|erzeugung)$/ }],
    requires: [/^einheit$/],
    unit: /^einheit$/,
    status: /^messwert/,
    meterPoint: /^za?ehlpunkt$/,
  },
  {
    id: "kaernten-netz-2025",
    operator: "Kärnten Netz",
    label: "start",
    time: /^startdatum$/,
    until: /^enddatum$/,
    values: [{ header: /^wert$/ }],
    requires: [/^obis$/],
    unit: /^einheit$/,
    status: /^qualitaet$/,
    meterPoint: /^zaehlpunkt(bezeichnung)?$/,
    code: /^obis$/,
    group: /^id der energiegemeinschaft$/,
  },
  {
    id: "energie-klagenfurt",
    operator: "Energie Klagenfurt",
    label: "start",
    time: /^datum ?uhrzeit$/,
    values: [{ header: /^(verbrauch|einspeisung|wert)$/, direction: "import" }],
    requires: [/^obis-?code$/],
    unit: /^einheit$/,
    meterPoint: /^zaehlpunkt$/,
    labelIsAssumed: true,
    directionIsAssumed: true,
    hasCommonNames: true,
  },
  {
    id: "tinetz",
    operator: "TINETZ",
    label: "start",
    time: /^date_from$/,
    until: /^date_to$/,
    values: [{ header: /^value$/ }],
    preamble: /strom - wirkenergie/,
  },
  {
    id: "tiwag",
    operator: "TIWAG",
    label: "start",
    time: /^date_from$/,
    until: /^date_to$/,
    values: [{ header: /^value$/ }],
  },
  {
    id: "ikb",
    operator: "Innsbrucker Kommunalbetriebe",
    label: "end",
    time: /^datum$/,
    values: [{ header: /^at\w{31} ab / }],
  },
  {
    id: "lastprofil",
    operator: "Stadtwerke Kufstein / Hall AG",
    label: "start",
    time: /^datum$/,
    values: [{ header: /einheit kwh\)$/ }],
    mergesAutumn: true,
  },
  {
    id: "kwg",
    operator: "KWG",
    label: "end",
    time: /^datum$/,
    values: [{ header: /^daten \d+$/ }],
    preamble: /daten 1/,
    hasCommonNames: true,
  },
  {
    id: "vorarlberg-netz",
    operator: "Vorarlberg Netz",
    label: "start",
    time: /^beginn der messreihe$/,
    until: /^ende der messreihe$/,
    values: [{ header: /^(messwert|verbrauch|bezug|einspeisung|lieferung) in k?wh?$/ }],
    status: /^status$/,
  },
  {
    id: "clam-strom",
    operator: "Clam Strom",
    label: "start",
    time: /^start$/,
    until: /^ende$/,
    values: [{ header: /^vorschub ?\(kwh\)/ }],
    status: /^status$/,
  },
  {
    id: "netz-burgenland-2023",
    operator: "Netz Burgenland",
    label: "start",
    time: /^start$/,
    until: /^ende$/,
    values: [{ header: new RegExp(`^${ENERGY} ?\\(kwh\\)`) }],
    status: /^status$/,
  },
  {
    id: "netz-burgenland",
    operator: "Netz Burgenland",
    label: "start",
    time: /^startdatum$/,
    clock: /^startuhrzeit$/,
    values: [{ header: /\(in kwh\)$/ }],
    status: /^status$/,
  },
  {
    id: "ebner-strom",
    operator: "Ebner Strom",
    label: "end",
    time: /^zeitstempel( string)?$/,
    values: [{ header: /^wert \(kwh\)$/ }],
    requires: [/^obis-?code$/],
    code: /^obis-?code$/,
    hasCommonNames: true,
  },
  {
    id: "eww",
    operator: "eww Wels",
    label: "start",
    time: /^begindate$/,
    until: /^enddate$/,
    values: [
      { header: /1\.9\.0 p\.01|^restnetzbezug|^netztarif/, direction: "residual" },
      { header: /2\.9\.0 p\.01|^restnetzlieferung|^ueberschuss/, direction: "export" },
      { header: /2\.9\.0 g\.01|gesamterzeugung/, direction: "generation" },
      { header: /2\.9\.0 g\.03|deckung durch eg/, direction: "community" },
      { header: /1\.9\.0 g\.01|gesamtverbrauch/, direction: "import" },
    ],
    status: /^status$/,
    unit: /^unit$/,
  },
];

/** Operators by the first characters of the meter point number, for formats that several of them use. */
const OPERATORS_BY_POINT: readonly [string, string][] = [
  ["AT001", "Wiener Netze"],
  ["AT002", "Netz Niederösterreich"],
  ["AT0034600", "Ebner Strom"],
  ["AT005000", "TINETZ"],
  ["AT005100", "Innsbrucker Kommunalbetriebe"],
  ["AT005120", "Hall AG"],
  ["AT005140", "Stadtwerke Kufstein"],
  ["AT007100", "Energie Klagenfurt"],
  ["AT007000", "Kärnten Netz"],
  ["AT008", "Energienetze Steiermark"],
  ["AT009", "Netz Burgenland"],
];

/** The operator of a series: the format's, or the meter point's where several operators share the format. */
export function operatorOf({ id, operator }: Pick<MeterFormat, "id" | "operator">, meterPoint = ""): string {
  if (id !== "lastprofil" && id !== "other") return operator;
  return OPERATORS_BY_POINT.find(([start]) => meterPoint.startsWith(start))?.[1] ?? operator;
}

/** Columns that hold counter readings or totals of a day, never energy of an interval. */
export const COUNTER = /zaehlerstand|counter|reading|zaehlwerk/;
