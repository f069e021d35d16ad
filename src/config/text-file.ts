import { readFileSync } from "node:fs";

/**
 * The text of a UTF-8 file, or a sentence why it cannot be read. Relative paths start at the working directory. Never throws.
 */
export function readTextFile(path: string): { text: string } | { fault: string } {
  try {
    return { text: readFileSync(path, "utf8") };
  } catch (error) {
    switch ((error as NodeJS.ErrnoException).code) {
      case "ENOENT":
      case "ENOTDIR":
        return { fault: `there is no file ${path}.` };
      case "EISDIR":
        return { fault: `${path} is a folder.` };
      case "EACCES":
      case "EPERM":
        return { fault: `${path} may not be read by this user; check its permissions.` };
      default:
        return {
          fault: `${path} cannot be opened (${(error as NodeJS.ErrnoException).code ?? "unknown reason"}).`,
        };
    }
  }
}
