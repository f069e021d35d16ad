import { createHash, randomBytes } from "node:crypto";

/** A challenge of a device for Digest authentication (RFC 7616). */
export interface DigestChallenge {
  realm: string;
  nonce: string;
  opaque: string | undefined;
  algorithm: "MD5" | "SHA-256";
  /** The algorithm as the device writes it: some leave out the hyphen. */
  algorithmName: string;
  /** Requests that were sent with the nonce. */
  count: number;
}

/** Longer headers are no challenge. */
const LONGEST_HEADER = 4_096;

/** The Digest challenge of a header, SHA-256 preferred; undefined if it has none that is supported. */
export function parseChallenge(header: string): DigestChallenge | undefined {
  if (header.length > LONGEST_HEADER) return undefined;
  const found = header
    .split(/(?=\bDigest\s)/i)
    .filter((part) => /^Digest\s/i.test(part))
    .flatMap((part): DigestChallenge[] => {
      const values = new Map(
        [...part.matchAll(/\b(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g)].map((match) => [
          match[1]!.toLowerCase(),
          match[2] ?? match[3]!,
        ]),
      );
      const nonce = values.get("nonce");
      const algorithmName = values.get("algorithm") ?? "MD5";
      const algorithm = algorithmName.toUpperCase().replace(/^SHA256$/, "SHA-256");
      const qop = values.get("qop");
      if (nonce === undefined || (algorithm !== "MD5" && algorithm !== "SHA-256")) return [];
      if (qop !== undefined && !qop.split(/[\s,]+/).includes("auth")) return [];
      const realm = values.get("realm") ?? "";
      return [{ realm, nonce, opaque: values.get("opaque"), algorithm, algorithmName, count: 0 }];
    });
  return found.find(({ algorithm }) => algorithm === "SHA-256") ?? found[0];
}

/**
 * The Authorization header of a request; counts the use of the nonce. `passwordAlgorithm`: of user, realm and password,
 * which some devices hash otherwise than the rest.
 */
export function digestHeader(
  challenge: DigestChallenge,
  request: {
    method: string;
    path: string;
    username: string;
    password: string;
    passwordAlgorithm?: DigestChallenge["algorithm"];
  },
): string {
  const { realm, nonce, opaque, algorithm, algorithmName } = challenge;
  const { method, path, username, password, passwordAlgorithm = algorithm } = request;
  const hash = (text: string, by = algorithm) =>
    createHash(by === "MD5" ? "md5" : "sha256")
      .update(text)
      .digest("hex");
  challenge.count += 1;
  const nc = challenge.count.toString(16).padStart(8, "0");
  const cnonce = randomBytes(8).toString("hex");
  const ha1 = hash(`${username}:${realm}:${password}`, passwordAlgorithm);
  const ha2 = hash(`${method}:${path}`);
  const response = hash(`${ha1}:${nonce}:${nc}:${cnonce}:auth:${ha2}`);
  const quoted = {
    username,
    realm,
    nonce,
    uri: path,
    response,
    cnonce,
    ...(opaque === undefined ? {} : { opaque }),
  };
  const parts = Object.entries(quoted).map(([name, value]) => `${name}="${value.replace(/["\\]/g, "\\$&")}"`);
  return `Digest ${[...parts, `algorithm=${algorithmName}`, "qop=auth", `nc=${nc}`].join(", ")}`;
}
