import { SchemaCheck } from "../../config/kit/check.js";
import type { SchemaNode } from "../../config/kit/node.js";

/** What the Node-RED process needs to start; sent as its first message, so that no process list shows it. */
export interface StartMessage {
  type: "start";
  /** Folder of flows, credentials, sessions and context. */
  userFolder: string;
  /** Path of the editor, without a trailing slash. */
  path: string;
  paletteFolder: string;
  credentialSecret: string;
  /** The flows are loaded and can be edited, but run only after a deploy. */
  safeMode: boolean;
}

/** The gateway's answer to a question. */
export interface AnswerMessage {
  type: "answer";
  id: number;
  /** A token for a sign-in, the e-mail for a token; omitted: refused. */
  text?: string;
}

export type MessageToNodeRed = StartMessage | AnswerMessage;

/** Messages of the Node-RED process. */
export type MessageFromNodeRed =
  /** It listens on this port of the loopback address. */
  | { type: "ready"; port: number }
  /** Its event loop is not blocked. */
  | { type: "alive" }
  | { type: "flows_started" }
  | { type: "log"; level: number; text: string }
  /** Checks e-mail and password of an administrator; the answer is a token. */
  | { type: "sign_in"; id: number; email: string; password: string; address: string }
  /** Checks a token; the answer is the e-mail, if the token is valid. */
  | { type: "token"; id: number; token: string }
  /** Makes a token invalid. */
  | { type: "sign_out"; token: string };

const text = (maxLength: number) => ({ type: "string", maxLength }) as const;
const id = { type: "integer" } as const;
const message = (type: string, properties: Record<string, SchemaNode> = {}) => ({
  required: Object.keys(properties),
  properties: { type: { const: type }, ...properties },
});

/** The check of messages of the Node-RED process: third-party nodes run in it and can send any message. */
export const messageCheck = new SchemaCheck<MessageFromNodeRed>({
  type: "object",
  required: ["type"],
  discriminator: { propertyName: "type" },
  oneOf: [
    message("ready", { port: { type: "integer", minimum: 1, maximum: 65_535 } }),
    message("alive"),
    message("flows_started"),
    message("log", { level: { type: "number" }, text: text(100_000) }),
    message("sign_in", { id, email: text(1024), password: text(1024), address: text(256) }),
    message("token", { id, token: text(1024) }),
    message("sign_out", { token: text(1024) }),
  ],
});
