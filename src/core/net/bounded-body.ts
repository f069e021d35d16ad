import type { IncomingMessage } from "node:http";

/**
 * The body of a request; undefined if it is larger than `maxBytes`. Up to `drainedBytes` are read and discarded, so that clients
 * that only read after sending get the answer. Rejects when the client disconnects.
 */
export async function boundedBody(
  req: IncomingMessage,
  { maxBytes, drainedBytes }: { maxBytes: number; drainedBytes: number },
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The connection is still needed for the answer.
  for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > drainedBytes) return undefined;
    if (size <= maxBytes) chunks.push(chunk);
  }
  return size > maxBytes ? undefined : Buffer.concat(chunks);
}
