/** What a controller link permits: reading; reading and sending telemetry; only the optimizer endpoint of evcc. */
export const LINK_SCOPES = ["read", "telemetry", "optimizer"] as const;

export type LinkScope = (typeof LINK_SCOPES)[number];

/** Whether a text names a scope. */
export function isLinkScope(text: string): text is LinkScope {
  return (LINK_SCOPES as readonly string[]).includes(text);
}

/** The address of a link as its user needs it: a page to try, or what evcc expects as OPTIMIZER_URI. */
export function controllerLinkUrl(baseUrl: string, token: string, scope: LinkScope): string {
  return `${baseUrl.replace(/\/+$/, "")}/c/${token}/${scope === "optimizer" ? "evcc" : "line"}`;
}
