import type { IncomingMessage, ServerResponse } from "node:http";
import type { StartMessage } from "./messages.js";

/** A line of Node-RED's own log. */
export interface NodeRedLogLine {
  level: number;
  msg: unknown;
  type?: string;
  name?: string;
  id?: string;
}

/** A person as Node-RED knows one: only administrators get in, and they may do everything. */
export interface NodeRedUser {
  username: string;
  /** Token for the session, after a sign-in. */
  token?: string;
  permissions: "*";
}

/** What the settings call. */
export interface SettingsHooks {
  /** Checks e-mail and password; must not reject, which Node-RED takes for its end. */
  authenticate(email: string, password: string): Promise<NodeRedUser | null>;
  /** The user of a session that Node-RED keeps: none. */
  users(name: string): Promise<NodeRedUser | null>;
  /** The user of a token, checked with each request; must not reject. */
  tokens(token: string): Promise<NodeRedUser | null>;
  /** Sees each request for the editor first. */
  middleware(req: IncomingMessage, res: ServerResponse, next: () => void): void;
  log(line: NodeRedLogLine): void;
}

/** How long a sign-in holds, seconds: one day. */
const SESSION_SECONDS = 24 * 60 * 60;

/**
 * The settings of the Node-RED in the box: hardened, offline, everything in one folder. Names and meanings are those of
 * https://nodered.org/docs/user-guide/runtime/configuration, for Node-RED 4 and 5.
 */
export function nodeRedSettings(start: StartMessage, hooks: SettingsHooks) {
  const root = `${start.path}/`;
  return {
    userDir: start.userFolder,
    flowFile: "flows.json",
    flowFilePretty: true,
    credentialSecret: start.credentialSecret,
    nodesDir: [start.paletteFolder],
    // Flows run code all the same; but nobody shall start other programs from the browser by a mere node.
    nodesExcludes: ["90-exec.js"],
    ...(start.safeMode ? { safeMode: true } : {}),

    uiHost: "127.0.0.1",
    // One root for both, as with Node-RED's own httpRoot: an "http in" node at /x answers at <path>/x.
    httpAdminRoot: root,
    httpNodeRoot: root,
    httpStatic: false,
    disableEditor: false,
    // All flows go up at once with each deploy.
    apiMaxLength: "20mb",
    httpAdminMiddleware: hooks.middleware,
    adminAuth: {
      type: "credentials",
      sessionExpiryTime: SESSION_SECONDS,
      users: hooks.users,
      tokens: hooks.tokens,
      authenticate: hooks.authenticate,
    },

    // What is installed is what was shipped: no npm from the browser, none from a flow.
    externalModules: {
      autoInstall: false,
      palette: { allowInstall: false, allowUpdate: false, allowUpload: false },
      modules: { allowInstall: false },
    },
    functionExternalModules: false,
    functionGlobalContext: {},

    // Also overrides of the palette's nodes outlive a restart.
    contextStorage: { default: { module: "localfilesystem", config: { flushInterval: 1 } } },

    telemetry: { enabled: false, updateNotification: false },
    diagnostics: { enabled: false, ui: false },
    runtimeState: { enabled: false, ui: false },
    logging: {
      gateway: { level: "info", metrics: false, audit: false, handler: () => hooks.log },
    },
    editorTheme: {
      page: { title: "hourgate · Node-RED" },
      header: { title: "hourgate · Node-RED" },
      tours: false,
      projects: { enabled: false },
      palette: { categories: ["hourgate"] },
      codeEditor: { lib: "monaco" },
    },
  };
}
