import type { Log } from "../core/log.js";
import { type TlsContext, type TlsFiles, TlsFileWatcher } from "../core/net/tls-files.js";
import type { TlsIdentity } from "../edges/http/listener.js";
import type { Running } from "./running.js";

/** Certificate and key of the HTTP ports, reloaded when the files change; undefined without TLS. Throws an Error. */
export async function tlsIdentityOf(
  files: TlsFiles | null,
  { running, log, checkMs }: { running: Running; log: Log; checkMs?: number },
): Promise<TlsIdentity | undefined> {
  if (files === null) return undefined;
  const watcher = new TlsFileWatcher(files, {
    section: "http.tls",
    log,
    ...(checkMs !== undefined && { checkMs }),
  });
  running.add({ stop: async () => watcher.stop() });
  const listeners: ((context: TlsContext) => void)[] = [];
  const identity = {
    context: await watcher.start((changed) => {
      identity.context = changed;
      for (const listener of listeners) listener(changed);
    }),
    onChange: (listener: (context: TlsContext) => void) => void listeners.push(listener),
  };
  return identity;
}
