import { createHash } from "node:crypto";
import type { Asked } from "./http-device.js";

const NAMES = { MD5: "md5", "SHA-256": "sha256" } as const;
type Algorithm = keyof typeof NAMES;

export interface DigestAccess {
  algorithm: Algorithm;
  /** The algorithm as the challenge writes it. */
  algorithmName?: string;
  /** Of user, realm and password, if it is another one than that of the response. */
  secretAlgorithm?: Algorithm;
  realm: string;
  user: string;
  password: string;
}

const NONCE = "60b0a9f1";

/** The value of `WWW-Authenticate` for the first request (RFC 7616). */
export const challenge = ({ algorithm, algorithmName = algorithm, realm }: DigestAccess): string =>
  `Digest qop="auth", realm="${realm}", nonce="${NONCE}", algorithm=${algorithmName}`;

/** The response that RFC 7616 asks for. */
export function digestResponse(
  { algorithm, secretAlgorithm = algorithm, realm, user, password }: DigestAccess,
  sent: { method: string; url: string; nonce: string; nc: string; cnonce: string },
): string {
  const hash = (by: Algorithm, text: string) => createHash(NAMES[by]).update(text).digest("hex");
  const secret = hash(secretAlgorithm, `${user}:${realm}:${password}`);
  const request = hash(algorithm, `${sent.method}:${sent.url}`);
  return hash(algorithm, `${secret}:${sent.nonce}:${sent.nc}:${sent.cnonce}:auth:${request}`);
}

/** Whether the request has the right response to the challenge. */
export function isAuthorized(asked: Asked, access: DigestAccess): boolean {
  const header = asked.headers.authorization ?? "";
  const field = (name: string) => new RegExp(`\\b${name}="?([^",]+)"?`).exec(header)?.[1] ?? "";
  const { method, url } = asked;
  const sent = { method, url, nonce: NONCE, nc: field("nc"), cnonce: field("cnonce") };
  return (
    header.startsWith("Digest ") &&
    field("username") === access.user &&
    field("uri") === asked.url &&
    field("nonce") === NONCE &&
    field("algorithm") === (access.algorithmName ?? access.algorithm) &&
    field("response") === digestResponse(access, sent)
  );
}
