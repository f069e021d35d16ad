import type { IncomingMessage, ServerResponse } from "node:http";
import type { Metrics } from "./service.js";

/** Serves `/metrics` without authentication, as usual for Prometheus. */
export function metricsRoute(metrics: Pick<Metrics, "text" | "contentType">) {
  return async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    if (req.method !== "GET" && req.method !== "HEAD") {
      res.writeHead(405, { Allow: "GET, HEAD", "Content-Type": "text/plain; charset=utf-8" });
      res.end("This path takes GET and HEAD.\n");
      return;
    }
    const body = Buffer.from(await metrics.text());
    res.writeHead(200, { "Content-Type": metrics.contentType, "Content-Length": body.length });
    res.end(req.method === "HEAD" ? undefined : body);
  };
}
