import { lstatSync, mkdirSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/** Of Node.js 22.8 and later. */
type WithCompileCache = typeof module & { enableCompileCache?(folder: string): unknown };

/**
 * Lets Node.js keep the compiled code for the next start, in the user's folder for caches or in that of the service (systemd). Without
 * a folder that is the user's alone nothing is kept: whoever may write there decides what the program does.
 */
export function keepCompiledCode(environment: NodeJS.ProcessEnv): void {
  const { enableCompileCache }: WithCompileCache = module;
  if (enableCompileCache === undefined) return;
  const { CACHE_DIRECTORY, XDG_CACHE_HOME } = environment;
  const folder = CACHE_DIRECTORY || join(XDG_CACHE_HOME || join(homedir(), ".cache"), "hourgate");
  if (isOwnFolder(folder)) enableCompileCache(join(folder, "compiled"));
}

/** Whether only this user may write to the folder; creates it. */
export function isOwnFolder(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    if (process.geteuid === undefined) return found.isDirectory();
    return found.isDirectory() && found.uid === process.geteuid() && (found.mode & 0o022) === 0;
  } catch {
    return false;
  }
}
