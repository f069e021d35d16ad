import type { Settings } from "../../config/settings.js";
import { LOXONE_KINDS, type LoxoneKind } from "../../core/domain/loxone-kinds.js";
import type { Language } from "../../core/language.js";
import { loxoneFile } from "../../edges/controllers/loxone.js";
import { resultOfRequest } from "./administration.js";
import {
  type Arguments,
  type CliCommand,
  configOption,
  EXIT,
  type Terminal,
  textOption,
  usageError,
  valueOption,
} from "./command.js";
import { loadConfiguration } from "./configuration.js";

/** Required scope of the link for each kind of file. */
const SCOPES = { "http-input": "read", "http-output": "telemetry" } as const;
const LANGUAGES = ["de", "en"] as const;
const TOKEN = /^[A-Za-z0-9_-]{16,128}$/;

export const loxoneCommand: CliCommand = {
  name: "loxone",
  summary: "Prints a Loxone template of a site that contains a controller link.",
  usage:
    "[--kind http-input|http-output|mqtt] [--site ID] [--token TOKEN] [--language de|en] [--config FILE]",
  options: {
    kind: valueOption(
      "KIND",
      "http-input (default): what Loxone reads; http-output: what it sends; mqtt: a list of topics.",
    ),
    site: valueOption("ID", "Plant of the template; default: the only one."),
    token: valueOption("TOKEN", "Token of an existing link; default: a new link is created."),
    language: valueOption("de|en", "Language of the names; default: de."),
    config: configOption,
  },
  async run(args, terminal) {
    const wanted = readOptions(args);
    const { settings } = loadConfiguration(args, terminal);
    const only = settings.plants.length === 1 ? settings.plants[0]?.id : undefined;
    const siteId = wanted.siteId ?? only;
    if (siteId === undefined) {
      const known = settings.plants.map(({ id }) => id).join(", ");
      throw usageError(`There are several plants: select one with --site (${known}).`);
    }
    // The settings in force, also those that were changed in the portal.
    const request = { command: "site show", arguments: { site: siteId } };
    const site = (await resultOfRequest(settings, request, terminal)) as ShownSite;
    const { filename, content } = loxoneFile({
      kind: wanted.kind,
      siteId,
      siteName: site.name,
      baseUrl: site.base_url,
      token: await tokenOf(settings, { ...wanted, siteId }, terminal),
      slots: site.slots,
      language: wanted.language,
      mqttPrefix: settings.mqtt.prefix,
    });
    // The terminal adds the line feed.
    await terminal.out(content.slice(0, -1));
    terminal.error(`Save this as ${filename}; docs/loxone.md describes how to import it into Loxone Config.`);
    return EXIT.done;
  },
};

interface LoxoneRequest {
  kind: LoxoneKind;
  language: Language;
  siteId: string | undefined;
  token: string | undefined;
}

/** The parsed options. Throws CommandError. */
function readOptions(args: Arguments): LoxoneRequest {
  const wantedKind = textOption(args, "kind") ?? "http-input";
  const kind = LOXONE_KINDS.find((one) => one === wantedKind);
  if (kind === undefined)
    throw usageError(`--kind must be one of ${LOXONE_KINDS.join(", ")}, not "${wantedKind}".`);
  const wantedLanguage = textOption(args, "language") ?? "de";
  const language = LANGUAGES.find((one) => one === wantedLanguage);
  if (language === undefined) throw usageError(`--language must be de or en, not "${wantedLanguage}".`);
  const token = textOption(args, "token");
  if (token !== undefined && !TOKEN.test(token))
    throw usageError(
      "--token must be the part of a link between /c/ and the next slash: at least 16 letters, digits, - or _.",
    );
  return { kind, language, token, siteId: textOption(args, "site") };
}

/** The answer to `site show`. */
interface ShownSite {
  name: string;
  base_url: string;
  slots: { slot: number; label: string; enabled: boolean }[];
}

/** The token of the link in the file: of a new link, unless a token was given or none is needed. Throws CommandError. */
async function tokenOf(
  settings: Settings,
  { kind, siteId, token }: LoxoneRequest & { siteId: string },
  terminal: Terminal,
): Promise<string> {
  if (kind === "mqtt" || token !== undefined) return token ?? "";
  const link = { site: siteId, scope: SCOPES[kind], label: `Loxone ${kind}` };
  const request = { command: "link create", arguments: link };
  return ((await resultOfRequest(settings, request, terminal)) as { token: string }).token;
}
