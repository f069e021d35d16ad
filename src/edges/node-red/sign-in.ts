import { createHmac, timingSafeEqual } from "node:crypto";
import type { Log } from "../../core/log.js";

/** Validity of a token, ms. */
const TOKEN_MS = 24 * 60 * 60 * 1000;

/** An account for the editor. `secret` changes with password and second factor. */
export interface EditorAccount {
  id: string;
  email: string;
  secret: string;
  administrator: boolean;
}

export interface EditorSignInOptions {
  /** Checks e-mail and password, with throttling; undefined if refused. */
  signIn(attempt: { email: string; password: string; address: string }): Promise<EditorAccount | undefined>;
  account(id: string): EditorAccount | undefined;
  /** Signed-out tokens: their expiry in ms by their MAC. */
  signedOut: Map<string, number>;
  /** Called when `signedOut` has changed. */
  onSignOut(): void;
  log: Pick<Log, "warn">;
  wallNowMs?: () => number;
}

/** The gateway's side of Node-RED's sign-in. */
export interface EditorSignIn {
  /** A token for an administrator with this e-mail and password; undefined if refused. Never rejects. */
  signIn(attempt: { email: string; password: string; address: string }): Promise<string | undefined>;
  /** The e-mail of a token, while the account is administrator and its credentials are unchanged. */
  user(token: string): string | undefined;
  /** Makes a token invalid. */
  signOut(token: string): void;
}

/**
 * Signs administrators in to the editor with their e-mail and password of the gateway. A token is signed with a secret of
 * the account's credentials, so a changed password or second factor makes all its tokens invalid.
 */
export function createEditorSignIn({
  signIn,
  account,
  signedOut,
  onSignOut,
  log,
  wallNowMs = Date.now,
}: EditorSignInOptions): EditorSignIn {
  const check = (token: string): { email: string; expires: number; mac: string } | undefined => {
    const [id = "", expires = "", mac = "", ...rest] = token.split(".");
    const found = account(id);
    if (rest.length > 0 || found?.administrator !== true || !(Number(expires) > wallNowMs()))
      return undefined;
    const expected = Buffer.from(macOf(`${id}.${expires}`, found.secret));
    const given = Buffer.from(mac);
    const isValid = given.length === expected.length && timingSafeEqual(given, expected);
    return isValid && !signedOut.has(mac) ? { email: found.email, expires: Number(expires), mac } : undefined;
  };
  return {
    async signIn(attempt) {
      try {
        const found = await signIn(attempt);
        if (found?.administrator !== true) return undefined;
        const content = `${found.id}.${wallNowMs() + TOKEN_MS}`;
        return `${content}.${macOf(content, found.secret)}`;
      } catch (error) {
        log.warn({ err: error }, "A sign-in to Node-RED could not be checked.");
        return undefined;
      }
    },
    user: (token) => check(token)?.email,
    signOut(token) {
      const found = check(token);
      if (found === undefined) return;
      for (const [mac, expires] of signedOut) if (expires <= wallNowMs()) signedOut.delete(mac);
      signedOut.set(found.mac, found.expires);
      onSignOut();
    },
  };
}

function macOf(content: string, secret: string): string {
  return createHmac("sha256", secret).update(`editor ${content}`).digest("base64url");
}
