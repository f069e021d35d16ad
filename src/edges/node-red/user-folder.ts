import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, chown, lchown, mkdir, open, readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ComponentSentence } from "../../core/domain/component-sentence.js";
import { componentText } from "../../texts/index.js";

/** User and group that the Node-RED process gets. */
export interface ProcessUser {
  uid: number;
  gid: number;
}

/** Why Node-RED cannot be started, and what to do. */
export class SetUpError extends Error {
  override readonly name = "SetUpError";
  readonly sentence: ComponentSentence;

  constructor(sentence: ComponentSentence) {
    super(componentText([sentence], "en"));
    this.sentence = sentence;
  }
}

export interface UserFolderOptions {
  dataFolder: string;
  userFolder: string;
  /** Absent: the gateway's own. */
  user?: ProcessUser | undefined;
  /** Further files that the user must be able to read. */
  programs?: readonly string[];
}

/** A file with the secret is shorter, bytes. */
const LONGEST_SECRET_FILE = 4_096;

/**
 * Creates Node-RED's folder if there is none (mode 0700, of the user) and returns the key of its credentials, which is
 * created once and stored in it (mode 0600). Throws SetUpError.
 */
export async function prepareUserFolder(options: UserFolderOptions): Promise<{ credentialSecret: string }> {
  const { userFolder, user } = options;
  try {
    await mkdir(userFolder, { recursive: true, mode: 0o700 });
    if (user !== undefined) await giveAccess(options, user);
    await refuseSpecialFiles(userFolder);
    return { credentialSecret: await credentialSecretIn(userFolder, user) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new SetUpError({ code: "node_red_no_folder", folder: userFolder, fault: code });
  }
}

/**
 * Gives the folder to the user. In the data folder itself the user's group can only pass through: it cannot list it, and no
 * other file in it is readable for the group.
 */
async function giveAccess({ dataFolder, userFolder, programs = [] }: UserFolderOptions, user: ProcessUser) {
  const { uid: owner } = await stat(userFolder);
  // Only once: later the folder's content is the user's, and a link in it could name any file.
  if (owner !== user.uid) await changeOwner(userFolder, user);
  await chown(dataFolder, (await stat(dataFolder)).uid, user.gid);
  await chmod(dataFolder, 0o710);
  for (const path of [dataFolder, ...programs])
    for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
      const { mode } = await stat(above);
      if ((mode & 0o001) === 0)
        throw new SetUpError({ code: "node_red_closed_folder", user: user.uid, folder: above });
    }
}

/** Node-RED would wait for ever for a named pipe in place of its flows or settings. */
async function refuseSpecialFiles(userFolder: string): Promise<void> {
  const entries = await readdir(userFolder, { withFileTypes: true });
  const special = entries.find((one) => !one.isFile() && !one.isDirectory() && !one.isSymbolicLink());
  if (special !== undefined)
    throw new SetUpError({ code: "node_red_special_file", path: join(userFolder, special.name) });
}

async function changeOwner(path: string, user: ProcessUser): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true }))
    await lchown(join(entry.parentPath, entry.name), user.uid, user.gid);
  await lchown(path, user.uid, user.gid);
}

async function credentialSecretIn(userFolder: string, user: ProcessUser | undefined): Promise<string> {
  const file = join(userFolder, "credential-secret");
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
  // A named pipe of a flow author would otherwise be waited for.
  const opened = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    },
  );
  const handle = opened ?? (await open(file, O_WRONLY | O_CREAT | O_EXCL, 0o600));
  try {
    if (opened !== undefined) return await secretOf(opened, file, user);
    const credentialSecret = randomBytes(32).toString("base64url");
    await handle.writeFile(`${credentialSecret}\n`);
    await handle.sync();
    if (user !== undefined) await handle.chown(user.uid, user.gid);
    return credentialSecret;
  } finally {
    await handle.close();
  }
}

async function secretOf(
  handle: Awaited<ReturnType<typeof open>>,
  file: string,
  user: ProcessUser | undefined,
): Promise<string> {
  const stats = await handle.stat();
  const isOwn = user === undefined || stats.uid === user.uid;
  const isUsable = stats.isFile() && stats.size <= LONGEST_SECRET_FILE && isOwn;
  const secret = isUsable ? (await handle.readFile("utf8")).trim() : "";
  // A hard link of a flow author to a file of the gateway is not the secret. A new secret would make the credentials of all
  // flows unreadable: the administrator has to decide.
  if (secret.length < 16) throw new SetUpError({ code: "node_red_damaged_secret", path: file });
  return secret;
}
