import type { IncomingMessage } from "node:http";
import type { Settings } from "../config/settings.js";
import { subscribe } from "../core/bus.js";
import { namedNumbers } from "../core/net/json.js";
import { VIENNA } from "../core/time/zone.js";
import { HttpListener, type ListenerOptions } from "../edges/http/listener.js";
import type { Core } from "./core.js";

/** Document of the editor's signed-out tokens. */
const SIGNED_OUT = "node_red.signed_out";

/** The embedded Node-RED. If it is disabled, none of its modules is loaded. */
export async function nodeRedOf(
  { http: { host }, node_red: settings, plants }: Settings,
  { accountServices, bus, components, dataFolder, documents, log }: Core,
  {
    listening,
    isSignedIn,
  }: {
    /** What all ports of the gateway have in common. */
    listening: Pick<ListenerOptions, "limits" | "proxies" | "hosts" | "isAuthenticated" | "tls">;
    isSignedIn: (req: IncomingMessage) => boolean;
  },
) {
  if (!settings.enabled) return undefined;
  const [{ NodeRedService }, { createEditorSignIn }] = await Promise.all([
    import("../edges/node-red/service.js"),
    import("../edges/node-red/sign-in.js"),
  ]);
  const { accountBook, security, signIn } = accountServices;
  const { proxies } = listening;
  const signedOut = new Map(namedNumbers(await documents.get(SIGNED_OUT)));
  const editorAccount = (id: string) => {
    const account = accountBook.get(id);
    return account && { ...account, secret: security.tokenSecret(id) };
  };
  const editorSignIn = createEditorSignIn({
    signIn: async ({ email, password: typed, address }) => {
      const { password, code } = splitCode(typed, security.hasTotp(accountBook.byEmail(email)?.id ?? ""));
      const result = await signIn.attempt({ email, password, code, address });
      if (result.outcome !== "signed_in") return undefined;
      return editorAccount(result.accountId);
    },
    account: editorAccount,
    signedOut,
    onSignOut: () => {
      service.closeEditors();
      documents
        .put(SIGNED_OUT, [...signedOut])
        .catch((error: unknown) =>
          log.warn(
            { err: error },
            "A sign-out of the editor could not be stored; it holds until the next start.",
          ),
        );
    },
    log,
  });
  const service = new NodeRedService({
    settings,
    dataFolder,
    timezone: plants[0]?.timezone ?? VIENNA,
    signIn: editorSignIn,
    client: (req) => ({
      address: proxies.clientAddress(req),
      protocol: proxies.isHttps(req) ? "https" : "http",
    }),
    isSignedIn,
    listen: (onRequest) =>
      new HttpListener({
        settings: { host, port: settings.port },
        name: "node_red",
        ...listening,
        onRequest,
      }),
    components,
    log,
  });
  const unsubscribe = subscribe(bus, { "account.credentials_changed": () => service.closeEditors() });
  return {
    redirect: service.redirect.bind(service),
    start: () => service.start(),
    stop: () => {
      unsubscribe();
      return service.stop();
    },
    get port() {
      return service.port;
    },
  };
}

/** The editor's form has no field for the code of an authenticator app: it follows the password. */
function splitCode(typed: string, hasCode: boolean): { password: string; code: string } {
  const found = hasCode ? /^(.*?) ?(\d{6})$/s.exec(typed) : null;
  return found === null ? { password: typed, code: "" } : { password: found[1]!, code: found[2]! };
}
