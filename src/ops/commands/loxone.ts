import type { Settings } from "../../config/settings.js";
import { LOXONE_KINDS, type LoxoneKind } from "../../core/domain/loxone-kinds.js";
import { loxoneFile } from "../../edges/controllers/loxone.js";
import { resultOfRequest } from "./administration.js";
import {
  choiceOption,
  command,
  configOption,
  EXIT,
  patternOption,
  type Terminal,
  usageError,
  valueOption,
} from "./command.js";
import { loadConfiguration } from "./configuration.js";

/** Required scope of the link for each kind of file. */
const SCOPES = { "http-input": "read", "http-output": "telemetry" } as const;

export const loxoneCommand = command({
  name: "loxone",
  summary: "Prints a Loxone template of a site that contains a controller link.",
  options: {
    kind: choiceOption(
      LOXONE_KINDS,
      "http-input (default): what Loxone reads; http-output: what it sends; mqtt: a list of topics.",
    ),
    site: valueOption("ID", "Plant of the template; default: the only one."),
    token: patternOption(
      "TOKEN",
      {
        pattern: /^[A-Za-z0-9_-]{16,128}$/,
        form: () => "the part of a link between /c/ and the next slash: at least 16 letters, digits, - or _",
      },
      "Token of an existing link; default: a new link is created.",
    ),
    language: choiceOption(["de", "en"], "Language of the names; default: that of the plant's user."),
    config: configOption,
  },
  async run(args, terminal) {
    const { kind = "http-input", language, token, site: wantedSite } = args.options;
    const { settings } = loadConfiguration(args, terminal);
    const only = settings.plants.length === 1 ? settings.plants[0]?.id : undefined;
    const siteId = wantedSite ?? only;
    if (siteId === undefined) {
      const known = settings.plants.map(({ id }) => id).join(", ");
      throw usageError(`There are several plants: select one with --site (${known}).`);
    }
    // The settings in force, also those that were changed in the portal.
    const shown = { site: siteId, ...(language !== undefined && { language }) };
    const request = { command: "site show" as const, arguments: shown };
    const site = await resultOfRequest(settings, request, terminal);
    const { filename, content } = loxoneFile({
      kind,
      siteId,
      siteName: site.name,
      baseUrl: site.base_url,
      token: await tokenOf(settings, { kind, token, siteId }, terminal),
      slots: site.slots,
      language: site.language,
      mqttPrefix: settings.mqtt.prefix,
    });
    // The terminal adds the line feed.
    await terminal.out(content.slice(0, -1));
    terminal.error(`Save this as ${filename}; docs/loxone.md describes how to import it into Loxone Config.`);
    return EXIT.done;
  },
});

/** The token of the link in the file: of a new link, unless a token was given or none is needed. Throws CommandError. */
async function tokenOf(
  settings: Settings,
  { kind, siteId, token }: { kind: LoxoneKind; siteId: string; token: string | undefined },
  terminal: Terminal,
): Promise<string> {
  if (kind === "mqtt" || token !== undefined) return token ?? "";
  const link = { site: siteId, scope: SCOPES[kind], label: `Loxone ${kind}` };
  const request = { command: "link create" as const, arguments: link };
  return (await resultOfRequest(settings, request, terminal)).token;
}
