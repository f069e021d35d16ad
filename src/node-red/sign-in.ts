import type { Log } from "../log.js";

/** An attempt that was let through, or how long to wait. */
type Begun = { end(outcome: "counted" | "free"): void } | { retryAfterSeconds: number };

/** What the sign-in rests on. */
export interface EditorSignInOptions {
  /** The account whose e-mail and password these are. */
  verify(email: string, password: string): Promise<{ administrator: boolean } | undefined>;
  /** Whether this is the e-mail of an account that is administrator now. */
  isAdministrator(email: string): boolean;
  /** Counts the attempts that fail, by account and by address. */
  throttle: { begin(names: readonly string[]): Begun };
  /** The name that an address is counted under. */
  addressName(address: string): string;
  log: Pick<Log, "warn" | "info">;
}

/** The gateway's side of Node-RED's sign-in. */
export interface EditorSignIn {
  /** Whether these are the e-mail and the password of an administrator. Never rejects. */
  signIn(attempt: { email: string; password: string; address: string }): Promise<boolean>;
  isAdministrator(email: string): boolean;
}

/** Lets administrators in, with their e-mail and password of the gateway; who guesses has to wait. */
export function createEditorSignIn({
  verify,
  isAdministrator,
  throttle,
  addressName,
  log,
}: EditorSignInOptions): EditorSignIn {
  return {
    isAdministrator,
    async signIn({ email, password, address }) {
      const account = email.trim().toLowerCase();
      const names = [`account ${account}`, ...(address === "" ? [] : [`address ${addressName(address)}`])];
      const attempt = throttle.begin(names);
      if ("retryAfterSeconds" in attempt) {
        log.warn({ address, seconds: attempt.retryAfterSeconds }, "A sign-in to Node-RED has to wait.");
        return false;
      }
      try {
        const found = await verify(email, password);
        // Somebody else's right password is no success either, or it could be told from a wrong one by what follows.
        attempt.end(found?.administrator ? "free" : "counted");
        if (!found?.administrator) log.info({ address }, "A sign-in to Node-RED was refused.");
        return found?.administrator === true;
      } catch (error) {
        attempt.end("free");
        log.warn({ err: error }, "A sign-in to Node-RED could not be checked.");
        return false;
      }
    },
  };
}
