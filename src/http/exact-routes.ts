import type { IncomingMessage, ServerResponse } from "node:http";
import type { Operation } from "../api/operation.js";
import type { Log } from "../log.js";
import { failureLog, type OperationRoute } from "./operation-route.js";
import { pathOf } from "./request-logging.js";

export interface ExactRoute {
  path: string;
  serve(req: IncomingMessage, res: ServerResponse): void;
}

/**
 * The operations by exact method and path, a fast path for frequent requests. Every other form (HEAD, a trailing slash) is
 * left to the router.
 */
export class ExactRoutes {
  readonly #routes: ReadonlyMap<string, ExactRoute>;

  constructor(routes: ReadonlyMap<Operation, OperationRoute>, log: Log) {
    this.#routes = new Map(
      [...routes].map(([{ method, path }, route]) => [
        `${method} ${path}`,
        {
          path,
          serve: (req, res) => {
            route(req, res).catch((thrown: unknown) => {
              failureLog(log, req, res)(thrown);
              res.destroy();
            });
          },
        },
      ]),
    );
  }

  of(req: IncomingMessage): ExactRoute | undefined {
    return this.#routes.get(`${req.method} ${pathOf(req)}`);
  }
}
