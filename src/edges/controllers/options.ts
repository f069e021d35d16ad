import type { Operation } from "../../api/operation.js";
import type { Services } from "../../api/services.js";
import type { Site } from "../../config/site.js";
import type { LinkScope } from "../../core/domain/link-scopes.js";
import type { Log } from "../../core/log.js";
import type { PlanService } from "../../plan/service.js";
import type { OptimizerService } from "../../plan/solver/service.js";
import type { FlexService } from "../../plan/windows/service.js";

/** Site and permission of a controller link. */
export interface ControllerLink {
  id: string;
  siteId: string;
  scope: LinkScope;
}

/** Services that the controller pages use. Reads are answered from memory; telemetry and slots are written to disk. */
export interface ControllerOptions
  extends Pick<Services, "clock" | "forecast" | "prices" | "pv" | "tariff" | "telemetry"> {
  flex: Pick<FlexService, "current">;
  /** The link of a token; undefined for an unknown or revoked one. */
  links: { find(token: string): ControllerLink | undefined };
  accounts: { site(id: string): Site | undefined };
  plans: Pick<PlanService, "current" | "present">;
  /** Step of prices and plan as configured, minutes. */
  priceMinutes: 60 | 15;
  optimizer: Pick<OptimizerService, "optimise">;
  /** Operations of the API; telemetry and windows are also served here. */
  operations: readonly Operation[];
  log: Pick<Log, "error">;
}
