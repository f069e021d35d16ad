import type { Site } from "../../accounts/sites.js";
import { LOXONE_KINDS, type LoxoneKind } from "../../domain/loxone-kinds.js";
import type { Language } from "../../language.js";
import type { Page, PageReply } from "../context.js";

/** Creates a file that contains the address of a controller link; for MQTT the token is not used. */
export type LoxoneFile = (
  site: Site,
  file: { kind: LoxoneKind; token: string; language: Language },
) => { filename: string; content: string };

/** Creates controller links. */
interface LinkMaker {
  create(siteId: string, link: { scope: "read" | "telemetry"; label: string }): Promise<{ token: string }>;
}

/**
 * The download of a file. The token of a link is not stored, so a file that needs one creates a new link, which
 * the page lists and can revoke.
 */
export function loxonePage(links: LinkMaker, file: LoxoneFile): Page {
  return {
    method: "GET",
    path: "/settings/ems/loxone",
    access: "account",
    handle: async ({ method, query, site, language }): Promise<PageReply> => {
      const kind = LOXONE_KINDS.find((one) => one === (query.get("kind") ?? "http-input"));
      if (kind === undefined || site === undefined) return { refuse: 404 };
      // A HEAD request must not create a link.
      const needsLink = kind !== "mqtt" && method !== "HEAD";
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
