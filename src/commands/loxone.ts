import type { PlantSettings, Settings } from "../config/settings.js";
import { loxoneFile } from "../controllers/loxone.js";
import { LOXONE_KINDS, type LoxoneKind } from "../domain/loxone-kinds.js";
import { SLOT_NUMBERS } from "../domain/slot.js";
import { errorMessage } from "../error-message.js";
import type { Language } from "../language.js";
import { baseUrlOf } from "../net/base-url.js";
import { administrate } from "./administration.js";
import { type Arguments, type CliCommand, configOption, EXIT, type Terminal, textOption } from "./command.js";
import { loadConfiguration } from "./configuration.js";

/** What a link must be allowed for each kind of file. */
const SCOPES = { "http-input": "read", "http-output": "telemetry" } as const;
const LANGUAGES = ["de", "en"] as const;
const TOKEN = /^[A-Za-z0-9_-]{16,128}$/;

export const loxoneCommand: CliCommand = {
  name: "loxone",
  summary: "Prints a Loxone template of a site, with a controller link in it.",
  usage:
    "[--kind http-input|http-output|mqtt] [--site ID] [--token TOKEN] [--language de|en] [--config FILE]",
  options: {
    kind: {
      type: "string",
      value: "KIND",
      help: "http-input (default): what Loxone reads; http-output: what it sends; mqtt: the topics to type in.",
    },
    site: { type: "string", value: "ID", help: "Plant that it is for; default: the only one." },
    token: {
      type: "string",
      value: "TOKEN",
      help: "Token of a link that there is already; default: a new link is made.",
    },
    language: { type: "string", value: "de|en", help: "Language of the names; default: de." },
    config: configOption,
  },
  async run(args, terminal) {
    const typed = readTyped(args);
    if (typeof typed === "string") {
      terminal.error(typed);
      return EXIT.usage;
    }
    const configuration = loadConfiguration(args, terminal);
    if (configuration === undefined) return EXIT.failed;
    const { settings } = configuration;
    const only = settings.plants.length === 1 ? settings.plants[0]?.id : undefined;
    const siteId = typed.siteId ?? only;
    if (siteId === undefined) {
      const known = settings.plants.map(({ id }) => id).join(", ");
      terminal.error(`There are several plants: name one with --site (${known}).`);
      return EXIT.usage;
    }
    try {
      const link = await linkOf(settings, { ...typed, siteId }, terminal);
      const plant = settings.plants.find(({ id }) => id === siteId);
      const { filename, content } = loxoneFile({
        kind: typed.kind,
        siteId,
        ...link,
        ...(plant && { siteName: plant.name }),
        slots: slotsOf(plant),
        language: typed.language,
        mqttPrefix: settings.mqtt.prefix,
      });
      // The terminal ends what it writes with a line feed of its own.
      await terminal.out(content.slice(0, -1));
      terminal.error(`Save this as ${filename}; docs/loxone.md tells how to bring it into Loxone Config.`);
      return EXIT.done;
    } catch (error) {
      terminal.error(errorMessage(error));
      return EXIT.failed;
    }
  },
};

interface Typed {
  kind: LoxoneKind;
  language: Language;
  siteId: string | undefined;
  token: string | undefined;
}

/** What was typed, or a sentence that says what is wrong with it. */
function readTyped(args: Arguments): Typed | string {
  const wantedKind = textOption(args, "kind") ?? "http-input";
  const kind = LOXONE_KINDS.find((one) => one === wantedKind);
  if (kind === undefined) return `--kind must be one of ${LOXONE_KINDS.join(", ")}, not "${wantedKind}".`;
  const wantedLanguage = textOption(args, "language") ?? "de";
  const language = LANGUAGES.find((one) => one === wantedLanguage);
  if (language === undefined) return `--language must be de or en, not "${wantedLanguage}".`;
  const token = textOption(args, "token");
  if (token !== undefined && !TOKEN.test(token))
    return "--token must be the part of a link between /c/ and the next slash: at least 16 letters, digits, - or _.";
  return { kind, language, token, siteId: textOption(args, "site") };
}

/** The link that goes into the file: a new one, unless one was named or none is needed. Throws Error. */
async function linkOf(
  settings: Settings,
  { kind, siteId, token }: Typed & { siteId: string },
  terminal: Terminal,
): Promise<{ token: string; baseUrl: string }> {
  if (kind === "mqtt" || token !== undefined) {
    // Asked for nothing but to learn whether there is such a site.
    await ask(settings, "link list", { site: siteId }, terminal);
    return { token: token ?? "", baseUrl: baseUrlOf(settings.http) };
  }
  const request = { site: siteId, scope: SCOPES[kind], label: "Loxone" };
  const made = (await ask(settings, "link create", request, terminal)) as { token: string; url: string };
  // The gateway that runs knows best under which address it does.
  return { token: made.token, baseUrl: made.url.slice(0, made.url.lastIndexOf(`/c/${made.token}`)) };
}

async function ask(settings: Settings, command: string, input: object, terminal: Terminal): Promise<unknown> {
  const response = await administrate(settings, { command, arguments: input }, terminal);
  if (!response.ok) throw new Error(response.error);
  return response.result;
}

/** The slots of the configuration; those of a site that was made in the portal are not known here: all of them. */
function slotsOf(plant: PlantSettings | undefined): { slot: number; label: string }[] {
  if (plant === undefined) return SLOT_NUMBERS.map((slot) => ({ slot, label: "" }));
  return plant.slots.filter(({ enabled }) => enabled).map(({ slot, label }) => ({ slot, label }));
}
