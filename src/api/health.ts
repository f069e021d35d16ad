import type { Operation } from "./operation.js";
import type { Services } from "./services.js";

/** GET /health: 503 only for what a restart of the gateway helps, such as its own storage (docs/spec/http-api.md section 11). */
export function healthOperation(services: Services): Operation {
  return {
    method: "GET",
    path: "/health",
    purpose: "Health check: 200 while the gateway works, also without a broker, source or device; else 503.",
    schema: { type: "object", properties: {} },
    contract: { tag: "gateway", example: {}, answer: { status: "ok" } },
    response: {
      type: "object",
      properties: {
        status: { enum: ["ok", "degraded", "down"] },
        component: {
          type: "string",
          description: "The part that is down or degraded; left out for a part of one site.",
        },
      },
      required: ["status"],
    },
    quotaClass: () => "status",
    run: () => {
      const failing = services.components.failing();
      if (failing !== undefined) return { status: "down", component: failing.name };
      const degraded = services.components.degraded();
      if (degraded === undefined) return { status: "ok" };
      return { status: "degraded", ...(degraded.siteId === undefined && { component: degraded.name }) };
    },
    status: (document) => (document.status === "down" ? 503 : 200),
  };
}
