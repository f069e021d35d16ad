import { Ajv2020 } from "ajv/dist/2020.js";

/** What the Node-RED process needs to start; sent as its first message, so that it stands in no list of processes. */
export interface StartMessage {
  type: "start";
  /** Folder of flows, credentials, sessions and context. */
  userFolder: string;
  /** Path of the editor, without a slash at the end. */
  path: string;
  paletteFolder: string;
  credentialSecret: string;
  /** The flows are loaded and can be edited, but do not run until they are deployed. */
  safeMode: boolean;
}

/** The gateway's answer to a question. */
export interface AnswerMessage {
  type: "answer";
  id: number;
  yes: boolean;
}

export type MessageToNodeRed = StartMessage | AnswerMessage;

/** What the Node-RED process says. */
export type MessageFromNodeRed =
  /** It serves on this port of the loopback address. */
  | { type: "ready"; port: number }
  /** Its event loop turns. */
  | { type: "alive" }
  | { type: "flows_started" }
  | { type: "log"; level: number; text: string }
  /** Are these the e-mail and the password of an administrator? */
  | { type: "sign_in"; id: number; email: string; password: string; address: string }
  /** Is this still the e-mail of an administrator? */
  | { type: "is_administrator"; id: number; email: string };

const text = (maxLength: number) => ({ type: "string", maxLength }) as const;
const id = { type: "integer" } as const;
const message = (type: string, properties: Record<string, unknown> = {}) => ({
  required: Object.keys(properties),
  properties: { type: { const: type }, ...properties },
});

/**
 * Makes the check of what the Node-RED process says: third-party nodes run in it and can send whatever they like.
 */
export function createMessageCheck(): (value: unknown) => value is MessageFromNodeRed {
  return new Ajv2020({ discriminator: true, code: { optimize: false } }).compile<MessageFromNodeRed>({
    type: "object",
    required: ["type"],
    discriminator: { propertyName: "type" },
    oneOf: [
      message("ready", { port: { type: "integer", minimum: 1, maximum: 65_535 } }),
      message("alive"),
      message("flows_started"),
      message("log", { level: { type: "number" }, text: text(100_000) }),
      message("sign_in", { id, email: text(1024), password: text(1024), address: text(256) }),
      message("is_administrator", { id, email: text(1024) }),
    ],
  });
}
