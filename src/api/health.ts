import type { Operation } from "./operation.js";
import type { Services } from "./services.js";

/** GET /health: 200, or 503 with the vital component that is down (docs/spec/http-api.md section 11). */
export function healthOperation(services: Services): Operation {
  return {
    method: "GET",
    path: "/health",
    purpose: "Health check: 200 while the store and the broker work, else 503.",
    schema: { type: "object", properties: {} },
    response: {
      type: "object",
      properties: {
        status: { enum: ["ok", "down"] },
        component: { type: "string", description: "The part that is down." },
      },
      required: ["status"],
    },
    quotaClass: () => "status",
    run: () => {
      const failing = services.components.failing();
      return failing === undefined ? { status: "ok" } : { status: "down", component: failing.name };
    },
    status: (document) => (document.status === "ok" ? 200 : 503),
  };
}
