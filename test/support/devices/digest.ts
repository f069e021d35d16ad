import { createHash } from "node:crypto";
import type { Asked } from "./http-device.js";

const NAMES = { MD5: "md5", "SHA-256": "sha256" } as const;

export interface DigestAccess {
  algorithm: keyof typeof NAMES;
  realm: string;
  user: string;
  password: string;
}

const NONCE = "60b0a9f1";

/** The value of `WWW-Authenticate` for the first request (RFC 7616). */
export const challenge = ({ algorithm, realm }: DigestAccess): string =>
  `Digest qop="auth", realm="${realm}", nonce="${NONCE}", algorithm=${algorithm}`;

/** Whether the request has the right response to the challenge. */
export function isAuthorized(asked: Asked, access: DigestAccess): boolean {
  const header = asked.headers.authorization ?? "";
  const field = (name: string) => new RegExp(`\\b${name}="?([^",]+)"?`).exec(header)?.[1] ?? "";
  const hash = (text: string) => createHash(NAMES[access.algorithm]).update(text).digest("hex");
  const secret = hash(`${access.user}:${access.realm}:${access.password}`);
  const request = hash(`${asked.method}:${asked.url}`);
  const expected = hash(`${secret}:${NONCE}:${field("nc")}:${field("cnonce")}:auth:${request}`);
  return (
    header.startsWith("Digest ") &&
    field("username") === access.user &&
    field("uri") === asked.url &&
    field("nonce") === NONCE &&
    field("response") === expected
  );
}
