/**
 * `storage_unavailable`: cannot be read or written now (disk full, no permission, closed); may be temporary.
 * `storage_in_use`: another gateway uses the folder. `storage_damaged`: data must be restored first. `storage_later`: a later version
 * has written them.
 */
export type StoreErrorCode = "storage_unavailable" | "storage_in_use" | "storage_damaged" | "storage_later";

/** The data folder cannot be used; the message says what to do. */
export class StoreError extends Error {
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StoreError";
    this.code = code;
  }
}

/** The `code` of a Node.js error; undefined for anything else. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : undefined;
}

const DISK_FULL = /ENOSPC|EDQUOT|No space left|quota exceeded/i;
const READ_ONLY = /EROFS|Read-only file system/i;

/** Messages for failures that an operator can resolve. LevelDB provides only the text of strerror, without a code. */
const REMEDIES: { test: RegExp; message: (path: string) => string }[] = [
  {
    test: DISK_FULL,
    message: (path) => `The disk that holds ${path} is full; free some space.`,
  },
  {
    test: /EACCES|EPERM|Permission denied|Operation not permitted/i,
    message: (path) =>
      `${path} cannot be read or written; give the user that runs hourgate read and write access.`,
  },
  {
    test: READ_ONLY,
    message: (path) => `${path} is on a read-only file system; mount it writable or set another data_dir.`,
  },
  {
    test: /ENOTDIR|EEXIST|Not a directory|File exists/i,
    message: (path) =>
      `${path} cannot be a folder, a file is in the way; remove the file or set another data_dir.`,
  },
  {
    test: /EISDIR|Is a directory/i,
    message: (path) => `${path} is a folder, but a file is expected; move the folder away.`,
  },
  {
    test: /EMFILE|ENFILE|Too many open files/i,
    message: (path) => `Too many files are open to use ${path}; raise the limit of open files.`,
  },
];

/** Codes and messages of the error and all its causes as one text. */
function describe(error: unknown): string {
  const parts: string[] = [];
  for (let at = error; at instanceof Error && parts.length < 10; at = at.cause) {
    parts.push(`${errorCode(at) ?? ""} ${at.message}`);
  }
  return parts.join(" ");
}

/**
 * Whether an error, or one of its causes, says that the disk takes nothing for now: it is full, or read-only as memory cards become
 * after a power cut.
 */
export function isUnwritable(error: unknown): boolean {
  const text = describe(error);
  return DISK_FULL.test(text) || READ_ONLY.test(text);
}

/** Converts the error of a file or database operation on `path` to a StoreError; returns a StoreError unchanged. */
export function toStoreError(cause: unknown, path: string): StoreError {
  if (cause instanceof StoreError) return cause;
  const text = describe(cause);
  if (/LEVEL_LOCKED/.test(text)) {
    return new StoreError(
      "storage_in_use",
      `Another hourgate is using ${path}; stop it first or set another data_dir.`,
      cause,
    );
  }
  if (/LEVEL_CORRUPTION|Corruption:/.test(text)) {
    return new StoreError(
      "storage_damaged",
      `The database in ${path} is damaged; restore the folder from a backup, or move it away to start with a new one (${text.trim()}).`,
      cause,
    );
  }
  const remedy = REMEDIES.find(({ test }) => test.test(text));
  const message = remedy?.message(path) ?? `${path} cannot be used; check the disk (${text.trim()}).`;
  return new StoreError("storage_unavailable", message, cause);
}
