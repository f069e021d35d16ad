import type { TariffPrices } from "../../api/documents/forecast.js";
import type { Operation } from "../../api/operation.js";
import type { Site } from "../../config/site.js";
import type { LinkScope } from "../../core/domain/link-scopes.js";
import type { PriceScalars } from "../../core/domain/plan-field-lists.js";
import type { LiveState } from "../../core/domain/sample.js";
import type { Log } from "../../core/log.js";
import type { Clock } from "../../core/time/clock.js";
import type { PriceSeries } from "../../forecast/market/price-series.js";
import type { ForecastHour, ForecastRun } from "../../forecast/price/forecast.js";
import type { PvForecast } from "../../forecast/pv/service.js";
import type { SitePlan } from "../../plan/site-plan.js";
import type { OptimizerService } from "../../plan/solver/service.js";
import type { SlotPlan } from "../../plan/windows/slot-schedule.js";

/** Site and permission of a controller link. */
export interface ControllerLink {
  id: string;
  siteId: string;
  scope: LinkScope;
}

/** Services that the controller pages use. Reads are answered from memory; telemetry and slots are written to disk. */
export interface ControllerOptions {
  clock: Clock;
  /** The link of a token; undefined for an unknown or revoked one. */
  links: { find(token: string): ControllerLink | undefined };
  accounts: { site(id: string): Site | undefined };
  plans: {
    current(siteId: string): SitePlan | undefined;
    present(siteId: string): PriceScalars | undefined;
  };
  flex: { current(siteId: string): SlotPlan[] };
  telemetry: { live(siteId: string): LiveState };
  forecast: {
    current(): ForecastRun | undefined;
    /** `count` hours from the current hour; undefined before the first run. */
    hours(count: number): ForecastHour[] | undefined;
  };
  prices: { published(): PriceSeries };
  pv: { forecast(siteId: string): PvForecast | undefined };
  tariff(siteId: string): TariffPrices | undefined;
  /** Step of prices and plan as configured, minutes. */
  priceMinutes: 60 | 15;
  optimizer: Pick<OptimizerService, "optimise">;
  /** Operations of the API; telemetry and windows are also served here. */
  operations: readonly Operation[];
  log: Pick<Log, "error">;
}
