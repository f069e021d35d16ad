import { readFileSync } from "node:fs";
import { deviceDocument } from "../../api/documents/devices.js";
import { ConfigError } from "../../config/error.js";
import type { TemplateTransport } from "../../equipment/template.js";
import type { ResultOf } from "../admin/operations.js";
import { adminCommand, siteOption, table } from "./admin-command.js";
import {
  CommandError,
  command,
  configOption,
  EXIT,
  flagOption,
  jsonOption,
  printResult,
  repeatableOption,
  unreadable,
  usageError,
  valueOption,
} from "./command.js";
import { loadConfiguration } from "./configuration.js";

type DeviceRow = ResultOf<"devices read">["device"];

export const withOption = repeatableOption(
  "NAME=VALUE",
  "Parameter of the template, such as host=192.168.1.80.",
);

const configuredCommand = adminCommand({
  name: "devices read",
  summary: "",
  operands: ["[ID]"],
  options: { site: siteOption, template: valueOption("TEMPLATE", ""), with: withOption },
  input: (_request, { options: { site }, positionals: [id] }) => ({
    id,
    ...(site !== undefined && { site }),
  }),
  lines: ({ device }) => deviceLines(device, false),
});

/** Commands for devices. */
export const deviceCommands = [
  adminCommand({
    name: "devices list",
    summary: "Lists the devices that are read, with their state.",
    options: { site: siteOption },
    lines: ({ devices }) =>
      table(
        ["SITE", "ID", "TEMPLATE", "ADDRESS", "STATE", "AGE", "READINGS"],
        devices.map((one) => [
          one.site,
          one.id,
          one.template,
          one.address,
          one.state,
          ageText(one.age_s),
          Object.entries(one.readings)
            .filter(([name]) => /power_kw$|soc_pct$/.test(name))
            .map(([name, { value, unit }]) => `${name} ${value === null ? "?" : `${value} ${unit}`}`)
            .join(", "),
        ]),
      ),
  }),
  command({
    name: "devices read",
    summary:
      "Reads a device now: ID of the configuration, or one that is not configured with --template and --with.",
    operands: ["[ID]"],
    options: {
      site: siteOption,
      template: valueOption("TEMPLATE", "Template of a device that is not configured."),
      with: withOption,
      config: configOption,
      json: jsonOption,
    },
    async run(args, terminal, servers) {
      const { template, with: pairs } = args.options;
      const [id] = args.positionals;
      if ((id === undefined) === (template === undefined))
        throw usageError("Give the ID of a configured device, or --template with --with NAME=VALUE.");
      if (template === undefined) return configuredCommand.run(args, terminal, servers);
      const { settings } = loadConfiguration(args, terminal);
      const [plant] = settings.plants;
      // Loaded here so that other commands do not load them.
      const { previewDevice } = await import("../devices-alone.js");
      const { ActuatorInputError } = await import("../../equipment/input-error.js");
      const { ExpressionError } = await import("../../equipment/expression.js");
      try {
        const view = await previewDevice(settings, { template, with: JSON.stringify(givenPairs(pairs)) });
        const zone = plant?.timezone ?? "Europe/Vienna";
        const device = { site: view.siteId, ...deviceDocument(view, { now: new Date(), zone }) };
        await printResult(args, terminal, { device }, () => deviceLines(device, false));
        return view.readAt === null ? EXIT.failed : EXIT.done;
      } catch (error) {
        if (error instanceof ActuatorInputError || error instanceof ExpressionError)
          throw new CommandError(error.message);
        throw error;
      }
    },
  }),
  adminCommand({
    name: "devices raw",
    summary: "Reads a device now and shows what it gave, before units and signs.",
    operands: ["ID"],
    options: { site: siteOption },
    input: (request) => request,
    lines: ({ device }) => deviceLines(device, true),
  }),
  adminCommand({
    name: "devices test",
    summary:
      "Tries a battery: it charges with 1 kW for a minute, also in dry run, and its measured power is watched. Everything is restored, also after Ctrl-C.",
    operands: ["ID"],
    options: { site: siteOption, power: valueOption("KW", "Charging power, kW; default 1.") },
    input: (_request, { options: { site, power }, positionals: [id] }, terminal) => {
      // Not part of the result: standard output may be JSON.
      terminal.error(`${id} charges with ${power ?? 1} kW for a minute: watch the arrow. Ctrl-C ends it.`);
      return { id, ...(site !== undefined && { site }), ...(power !== undefined && { power_kw: power }) };
    },
    lines: ({ id, message, restored, experimental, dry_run }) => [
      `${id}: ${message}`,
      restored
        ? "The device is as it was before."
        : "The device may not be as it was before; look at its app.",
      ...(experimental ? ["Its template is experimental: facts about its commands are not verified."] : []),
      ...(dry_run ? ["It is in dry run: nothing is sent until its commands are switched on."] : []),
    ],
    hasFailed: ({ outcome }) => outcome !== "shown",
  }),
  adminCommand({
    name: "devices add",
    summary: "Reads a device and adds it to a site; what it says about itself fills empty settings.",
    operands: ["TEMPLATE"],
    options: {
      site: siteOption,
      with: withOption,
      id: valueOption("ID", "Identifier; default: the template."),
      reads: valueOption("ROLES", "What it reads, with commas: grid, pv, battery, load, slot 1."),
      controls: valueOption("CONTROL", "What it drives: battery, feed_in, slot 1 or sg_ready."),
      live: flagOption("Commands are sent; otherwise they are only shown."),
    },
    input: (_request, { options: { with: pairs, ...options }, positionals: [template] }) => ({
      template,
      with: JSON.stringify(givenPairs(pairs)),
      ...Object.fromEntries(
        Object.entries(options)
          .filter(([, value]) => value !== undefined && value !== false && typeof value !== "object")
          .filter(([name]) => ["site", "id", "reads", "controls", "live"].includes(name)),
      ),
    }),
    lines: ({ device, filled, moved }) => [
      `${device.id} ${moved ? "is read at its new address" : "is added"}.`,
      ...deviceLines(device, false),
      ...(Object.keys(filled).length > 0
        ? [`Filled in from the device: ${Object.keys(filled).join(", ")}.`]
        : []),
      ...(device.experimental && device.controls !== null && device.dry_run
        ? [
            `Its template is experimental: it starts in dry run. Try it with "hourgate devices test ${device.id}".`,
          ]
        : []),
    ],
  }),
  command({
    name: "devices check",
    summary: "Checks a template file and shows what it reads and drives.",
    operands: ["FILE"],
    options: { json: jsonOption },
    async run(args, terminal) {
      const [file = ""] = args.positionals;
      let text: string;
      try {
        text = readFileSync(file, "utf8");
      } catch (error) {
        throw unreadable(file, error);
      }
      const { parseTemplate } = await import("../../equipment/template.js");
      const { readsOf } = await import("../../equipment/reading/create-device.js");
      try {
        const template = parseTemplate(text, file);
        const transports = Object.keys(template.transports).map((transport) => {
          const reads = readsOf(template, transport);
          return {
            transport,
            readings: Object.keys(reads.readings ?? {}),
            facts: Object.keys(reads.facts ?? {}),
            states: Object.keys(template.transports[transport]!.commands),
            writes: writesOf(template.transports[transport]!),
          };
        });
        const document = {
          id: template.id,
          controls: template.controls,
          experimental: template.experimental,
          transports,
        };
        await printResult(args, terminal, document, () => [
          `${template.id}: the template is valid.`,
          ...transports.flatMap(({ transport, readings, facts, states, writes }) => [
            `${transport}: reads ${readings.join(", ") || "nothing"}${facts.length > 0 ? `; facts ${facts.join(", ")}` : ""}${states.length > 0 ? `; states ${states.join(", ")}` : ""}.`,
            ...Object.entries(writes).map(([state, list]) => `  ${state}: ${list.join("; ")}`),
          ]),
        ]);
        return EXIT.done;
      } catch (error) {
        if (error instanceof ConfigError) throw new CommandError(error.message);
        throw error;
      }
    },
  }),
];

/** What each state writes over Modbus. */
function writesOf({ commands, registers = {} }: TemplateTransport): Record<string, string[]> {
  const text = (name: string, value: string | number) => {
    const { holding, sunspec } = registers[name] ?? {};
    return `${name} (${holding ?? sunspec?.join(" ")}) = ${value}`;
  };
  return Object.fromEntries(
    Object.entries(commands).flatMap(([state, requests]): [string, string[]][] => {
      const sets = requests.flatMap(({ set = {} }) => Object.entries(set));
      return sets.length === 0 ? [] : [[state, sets.map(([name, value]) => text(name, value))]];
    }),
  );
}

/** `NAME=VALUE` pairs. Throws CommandError. */
export function givenPairs(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw usageError(`--with must be NAME=VALUE, not "${pair}".`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function deviceLines(device: DeviceRow, isRaw: boolean): string[] {
  const { name, address, state, reason, readings, facts, identity, last_error: error } = device;
  const values = Object.entries(readings).map(([key, { value, unit, quality, age_s, raw }]) => [
    key,
    value === null ? "?" : `${value} ${unit}`.trim(),
    quality,
    ageText(age_s),
    ...(isRaw ? [String(raw ?? "-")] : []),
  ]);
  return [
    `${name} at ${address || "?"}: ${state}${reason === null ? "" : ` (${reason})`}`,
    ...Object.entries({ ...identity, ...facts }).map(([key, value]) => `${key}: ${value}`),
    ...(values.length === 0
      ? []
      : table(["READING", "VALUE", "QUALITY", "AGE", ...(isRaw ? ["RAW"] : [])], values)),
    ...(error === null ? [] : [`Last error: ${error.message}.`]),
  ];
}

function ageText(seconds: number | null): string {
  return seconds === null ? "-" : `${Math.round(seconds)} s`;
}
