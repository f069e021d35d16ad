import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openStore, type Store, type StoreLog } from "../../../src/store/store.js";

/** A separate folder for the running test, removed at its end. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "hourgate-test-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A log that records its warnings. */
export function recordingLog(): StoreLog & { warnings: string[] } {
  const warnings: string[] = [];
  return { warnings, warn: (_fields, message) => void warnings.push(message), info: () => {} };
}

/** An open store in a separate folder, closed at the end of the test. */
export async function temporaryStore(): Promise<{ folder: string; store: Store }> {
  const folder = await temporaryFolder();
  const store = await openStore(folder, recordingLog());
  onTestFinished(() => store.close());
  return { folder, store };
}
