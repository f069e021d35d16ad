import { createHmac, hkdfSync, scryptSync, timingSafeEqual } from "node:crypto";
import type { TlsOptions } from "node:tls";
import type { FleetConfiguration } from "./settings.js";

const SALT = "hourgate fleet";
const IDENTITY = "hourgate-fleet";

/** A key of the fleet in place of certificates, with forward secrecy (RFC 8442 and RFC 7905). */
const CIPHERS = {
  ciphers: "ECDHE-PSK-CHACHA20-POLY1305",
  minVersion: "TLSv1.2",
  maxVersion: "TLSv1.2",
} as const;

/**
 * The secret that all workers and routers of a fleet share. It signs the leases in Redis, and it encrypts the connections
 * from routers to workers, which succeed only if both sides know it.
 */
export class FleetSecret {
  readonly #leaseKey: Uint8Array;
  readonly #connectionKey: Uint8Array;

  constructor({ fleet, store }: Pick<FleetConfiguration, "fleet" | "store">) {
    // A short password cannot be guessed from a signature at any useful rate.
    const secret = scryptSync(fleet.secret ?? new URL(store.postgres.url ?? "").password, SALT, 32);
    const derived = (use: string) => new Uint8Array(hkdfSync("sha256", secret, SALT, use, 32));
    this.#leaseKey = derived("lease");
    this.#connectionKey = derived("connection");
  }

  sign(text: string): string {
    return createHmac("sha256", this.#leaseKey).update(text).digest("base64url");
  }

  isSigned(text: string, signature: string): boolean {
    const [expected, given] = [this.sign(text), signature].map((one) => Buffer.from(one));
    return expected!.length === given!.length && timingSafeEqual(expected!, given!);
  }

  /** Options of a worker's TLS server: only routers of this fleet can connect. */
  get server(): TlsOptions {
    return {
      ...CIPHERS,
      pskCallback: (_socket, identity) => (identity === IDENTITY ? this.#connectionKey : null),
    };
  }

  /** Options of a router's connection: it fails unless a worker of this fleet answers. */
  get client() {
    return {
      ...CIPHERS,
      pskCallback: () => ({ psk: this.#connectionKey, identity: IDENTITY }),
      // There is no certificate: the key proves who answers.
      checkServerIdentity: () => undefined,
    };
  }
}
