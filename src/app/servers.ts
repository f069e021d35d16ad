import type { Servers } from "../ops/servers.js";

/** The servers of the command line. */
export const servers: Servers = {
  loadGateway: () => import("./gateway.js"),
  loadRouter: () => import("./fleet.js"),
};
