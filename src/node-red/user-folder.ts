import { randomBytes } from "node:crypto";
import { mkdir, open, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Makes Node-RED's folder where there is none (mode 0700) and gives the secret that its credentials are encrypted with,
 * which is made once and kept beside them (mode 0600). Throws an Error that says what to do.
 */
export async function prepareUserFolder(userFolder: string): Promise<{ credentialSecret: string }> {
  const file = join(userFolder, "credential-secret");
  try {
    await mkdir(userFolder, { recursive: true, mode: 0o700 });
    const kept = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
    if (kept !== undefined) return { credentialSecret: secretIn(kept, file) };
    const credentialSecret = randomBytes(32).toString("base64url");
    const handle = await open(file, "wx", 0o600);
    try {
      await handle.writeFile(`${credentialSecret}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return { credentialSecret };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Error(
      `Node-RED's folder ${userFolder} cannot be used (${code}); make it writable for hourgate.`,
    );
  }
}

function secretIn(text: string, file: string): string {
  const secret = text.trim();
  // A new one would make the credentials of all flows unreadable: that is for a person to decide.
  if (secret.length < 16)
    throw new Error(`${file} is damaged; restore it, or delete it and enter the flows' credentials anew.`);
  return secret;
}
