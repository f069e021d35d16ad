import type { LoxoneKind } from "../../core/domain/loxone-kinds.js";
import type { Language } from "../../core/language.js";
import { textsOf } from "../../texts/index.js";
import { deviceName, type LoxoneInput, loxoneInputs, loxoneReadings } from "./loxone-fields.js";

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Values of `templateType` in the Info element. */
const TEMPLATE_TYPES = { httpInput: 2, output: 3 } as const;

/**
 * A Loxone template file: UTF-8 with byte order mark, CRLF, one root element with its Info element (if there is a
 * template type) and its commands. Attributes are escaped.
 */
function templateFile(
  root: { name: string; attributes: Attributes; templateType?: number },
  ...commands: readonly { name: string; list: readonly Attributes[] }[]
): string {
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<${root.name}${written(root.attributes)}>`,
    ...(root.templateType === undefined
      ? []
      : [`\t<Info templateType="${root.templateType}" minVersion="17010727"/>`]),
    ...commands.flatMap(({ name, list }) => list.map((attributes) => `\t<${name}${written(attributes)}/>`)),
    `</${root.name}>`,
  ];
  return `\uFEFF${lines.join("\r\n")}\r\n`;
}

function written(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join("");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Replaces control characters, which XML 1.0 does not allow, by spaces. */
function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are matched on purpose
  return text.replace(/[\u0000-\u001F\uFFFE\uFFFF]/g, " ").replace(/[&<>"]/g, (sign) => ENTITIES[sign]!);
}

/** Contents of a file for Loxone. */
export interface LoxoneFileOptions {
  kind: LoxoneKind;
  siteId: string;
  /** Display name of the plant; default: its id. */
  siteName?: string;
  /** Address of the gateway in the local network; not used for mqtt. */
  baseUrl: string;
  /** Token of a controller link; http-output needs one with the scope telemetry. Not used for mqtt. */
  token: string;
  /** Slots of the plant; those that are not assigned or not enabled have no commands. */
  slots?: readonly { slot: number; label: string; enabled: boolean }[];
  language?: Language;
  /** First levels of the topics, as configured. */
  mqttPrefix?: string;
}

/** Longest display name in Loxone Config. */
const MAX_NAME_CHARACTERS = 39;
/** Loxone's shortest polling interval; the gateway answers with one line from memory. */
const POLLING_SECONDS = 10;
/** Readings are sent again, changed or not, before they count as stale (15 minutes). */
const REPEAT_SECONDS = 60;
/** Loxone's MQTT client has at most this many subscriptions, and as many publishes. */
const MAX_TOPICS = 16;
/** Largest flex_pack: 23 bits. */
const MAX_FLEX_PACK = 8_388_607;

/**
 * A file for Loxone Config: a template of virtual HTTP inputs (`VI_*.xml`) or outputs (`VO_*.xml`) that contains the
 * link, or the list of topics for its MQTT client (`MQTT_*.xml`). Throws TypeError when baseUrl is not a URL.
 */
export function loxoneFile(options: LoxoneFileOptions): { filename: string; content: string } {
  const name = `hourgate_${options.siteId.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  switch (options.kind) {
    case "http-input":
      return { filename: `VI_${name}.xml`, content: inputTemplate(options) };
    case "http-output":
      return { filename: `VO_${name}.xml`, content: outputTemplate(options) };
    case "mqtt":
      return { filename: `MQTT_${name}.xml`, content: topicList(options) };
  }
}

function inputTemplate(options: LoxoneFileOptions): string {
  const { origin, path } = linkAddress(options);
  return templateFile(
    {
      name: "VirtualInHttp",
      attributes: {
        Title: displayName(`hourgate ${options.siteName ?? options.siteId}`),
        Comment: "",
        Address: `${origin}${path}/line`,
        HintText: "",
        PollingTime: POLLING_SECONDS,
      },
      templateType: TEMPLATE_TYPES.httpInput,
    },
    {
      name: "VirtualInHttpCmd",
      list: inputsOf(options).map(({ key, name, min, max, unit }) => ({
        Title: key,
        Comment: displayName(name),
        Address: "",
        Check: `\\i;${key}=\\i\\v`,
        Signed: min < 0,
        // Flags are analog too: digital inputs of a block read 0 and 1 as off and on.
        Analog: true,
        SourceValLow: 0,
        DestValLow: 0,
        SourceValHigh: 100,
        DestValHigh: 100,
        DefVal: 0,
        MinVal: min,
        MaxVal: max,
        Unit: unit,
        HintText: "",
      })),
    },
  );
}

function outputTemplate(options: LoxoneFileOptions): string {
  const slots = enabledSlots(options);
  const { origin, path } = linkAddress(options);
  const texts = textsFor(options);
  const readings = loxoneReadings(texts).map((reading) => ({
    title: reading.field,
    name: reading.name,
    command: `${path}/telemetry?${reading.field}=${reading.value}`,
    repeatSeconds: REPEAT_SECONDS,
    min: reading.min,
    max: reading.max,
  }));
  const flex = slots.map(({ slot, label }) => ({
    title: `flex_pack_${slot}`,
    name: `${deviceName(texts, { slot, label })} flex_pack`,
    command: `${path}/flex?flex_pack=<v>&slot_id=${slot}`,
    repeatSeconds: 0,
    min: 0,
    max: MAX_FLEX_PACK,
  }));
  return templateFile(
    {
      name: "VirtualOut",
      attributes: {
        Title: displayName(`hourgate ${options.siteName ?? options.siteId}`),
        Comment: "",
        Address: origin,
        CmdInit: "",
        CloseAfterSend: true,
        CmdSep: "",
      },
      templateType: TEMPLATE_TYPES.output,
    },
    {
      name: "VirtualOutCmd",
      list: [...readings, ...flex].map(({ title, name, command, repeatSeconds, min, max }) => ({
        Title: title,
        Comment: displayName(name),
        CmdOnMethod: "GET",
        CmdOffMethod: "GET",
        CmdOn: command,
        CmdOnHTTP: "",
        CmdOnPost: "",
        CmdOff: "",
        CmdOffHTTP: "",
        CmdOffPost: "",
        CmdAnswer: "",
        HintText: "",
        Analog: true,
        Repeat: repeatSeconds,
        RepeatRate: repeatSeconds,
        MinVal: min,
        MaxVal: max,
      })),
    },
  );
}

/**
 * The topics with plain numbers that Loxone reads and writes, at most 16 in each direction. Loxone Config does not
 * import MQTT templates: the elements list what to enter, with the names of its dialogs.
 */
function topicList(options: LoxoneFileOptions): string {
  const { siteId, mqttPrefix = "hourgate" } = options;
  const slots = enabledSlots(options);
  const texts = textsFor(options);
  const topic = (rest: string) => `${mqttPrefix}/${siteId}/${rest}`;
  const withTopic = inputsOf(options).flatMap((one) =>
    one.topic === undefined ? [] : [{ ...one, rest: one.topic }],
  );
  // Topics that control devices come first, because the list is cut to 16.
  const first = withTopic.filter(({ key }) => /^(S\d|O1|O12|O9|O13|PRICE)$/.test(key));
  const ordered = [...first, ...withTopic.filter((one) => !first.includes(one))].slice(0, MAX_TOPICS);
  const entry = (rest: string, name: string, unit: string, min: number, max: number) => ({
    Title: rest,
    Comment: displayName(name),
    Topic: topic(rest),
    Analog: true,
    Unit: unit,
    MinVal: min,
    MaxVal: max,
  });
  const readings = loxoneReadings(texts).map(({ field, name, value, min, max }) =>
    entry(`telemetry/${field}`, name, value, min, max),
  );
  const plugged = slots.map(({ slot, label }) =>
    entry(`slots/${slot}/plugged/set`, deviceName(texts, { slot, label }), "<v>", 0, 1),
  );
  return templateFile(
    {
      name: "Mqtt",
      attributes: { Title: displayName(`hourgate ${options.siteName ?? siteId}`), Comment: "" },
    },
    {
      name: "MqttSubscribe",
      list: ordered.map(({ rest, name, unit, min, max }) => entry(rest, name, unit, min, max)),
    },
    { name: "MqttPublish", list: [...readings.slice(0, MAX_TOPICS - plugged.length), ...plugged] },
  );
}

function inputsOf(options: LoxoneFileOptions): LoxoneInput[] {
  return loxoneInputs(textsOf(options.language ?? "de"), enabledSlots(options));
}

function enabledSlots({ slots = [] }: LoxoneFileOptions) {
  return slots.filter(({ enabled }) => enabled);
}

function textsFor({ language = "de" }: LoxoneFileOptions) {
  return textsOf(language).loxone;
}

/** Loxone needs the origin separate from the path; a base URL behind a proxy may have a path of its own. */
function linkAddress({ baseUrl, token }: LoxoneFileOptions): { origin: string; path: string } {
  const { origin, pathname } = new URL(baseUrl);
  return { origin, path: `${pathname.replace(/\/+$/, "")}/c/${token}` };
}

function displayName(text: string): string {
  return [...text.trim()].slice(0, MAX_NAME_CHARACTERS).join("").trim();
}
