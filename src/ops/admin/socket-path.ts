import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { AdminError } from "./operation.js";

/** Name of the socket in the data folder. */
export const SOCKET_NAME = "admin.sock";

/** Maximum length of a socket path in bytes on every system (macOS 104 with the final zero, Linux 108). */
const LONGEST_PATH = 100;
/** Maximum length of what is appended to the folder: `.admin-XXXXXX/socket`. */
const LONGEST_NAME = 24;

/**
 * Runs `work` with a path of the folder that is short enough for a socket: its own, or a symbolic link in a new temporary
 * folder, which is removed afterwards. Throws AdminError.
 */
export async function withShortPath<Result>(
  folder: string,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const path = resolve(folder);
  if (fits(path)) return work(path);
  const beside = await mkdtemp(join(tmpdir(), "hourgate-"));
  try {
    const link = join(beside, "data");
    if (!fits(link)) {
      throw new AdminError(
        `The paths of the data folder (${path}) and of temporary files (${tmpdir()}) are too long for a socket; ` +
          "set a shorter data_dir or TMPDIR.",
      );
    }
    await symlink(path, link);
    return await work(link);
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

function fits(folder: string): boolean {
  return Buffer.byteLength(folder) + LONGEST_NAME <= LONGEST_PATH;
}
