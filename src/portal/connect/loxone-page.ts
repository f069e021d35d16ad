import type { Site } from "../../accounts/sites.js";
import { LOXONE_KINDS, type LoxoneKind } from "../../domain/loxone-kinds.js";
import type { Language } from "../../language.js";
import type { Page, PageReply } from "../context.js";
import { CONNECT_PATH } from "./path.js";

/** Makes a file with the address of a controller link in it; for MQTT the token is not used. */
export type LoxoneFile = (
  site: Site,
  file: { kind: LoxoneKind; token: string; language: Language },
) => { filename: string; content: string };

/** What makes controller links. */
interface LinkMaker {
  create(siteId: string, link: { scope: "read" | "telemetry"; label: string }): Promise<{ token: string }>;
}

/**
 * The download of a file, by a form: a file that needs a link comes with a new one, since the tokens of existing links are
 * not stored. The page lists the link and can revoke it.
 */
export function loxonePage(links: LinkMaker, file: LoxoneFile): Page {
  return {
    method: "POST",
    path: `${CONNECT_PATH}/loxone`,
    of: CONNECT_PATH,
    access: "account",
    event: "link.created",
    handle: async ({ site, language }, form): Promise<PageReply> => {
      const kind = LOXONE_KINDS.find((one) => one === (form.text("kind") || "http-input"));
      if (kind === undefined || site === undefined) return { refuse: 404 };
      const needsLink = kind !== "mqtt";
      const scope = kind === "http-input" ? "read" : "telemetry";
      const { token } = needsLink
        ? await links.create(site.id, { scope, label: `Loxone ${kind}` })
        : { token: "" };
      const { filename, content } = file(site, { kind, token, language });
      return {
        document: content,
        type: filename.endsWith(".csv") ? "text/csv; charset=utf-8" : "application/xml; charset=utf-8",
        headers: { "Content-Disposition": `attachment; filename="${filename}"` },
      };
    },
  };
}
