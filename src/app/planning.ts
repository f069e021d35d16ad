import type { PlanEffects } from "../accounts/settings-history.js";
import type { Settings } from "../config/settings.js";
import type { Interval } from "../core/domain/interval.js";
import { ForecastService } from "../forecast/price/service.js";
import { MonthPeaks } from "../money/bill/month-peak.js";
import { LedgerService, ledgerOf } from "../money/ledger/service.js";
import { CommandHistory } from "../plan/devices/command-history.js";
import { DeviceEstimator } from "../plan/devices/estimator.js";
import { DeviceService } from "../plan/devices/service.js";
import { SurplusFollower } from "../plan/devices/surplus-follower.js";
import { PlanService } from "../plan/service.js";
import { OptimizerService } from "../plan/solver/service.js";
import type { DeviceState } from "../plan/windows/estimates.js";
import { FlexService } from "../plan/windows/service.js";
import type { Foundation } from "./foundation.js";
import type { Inputs } from "./inputs.js";
import type { Running } from "./running.js";

export type Planning = Awaited<ReturnType<typeof startPlanning>>;

/** Starts the forecast, then the schedules of flexible devices, then the plan of each battery. */
export async function startPlanning(
  settings: Settings,
  { foundation, inputs, running }: { foundation: Foundation; inputs: Inputs; running: Running },
) {
  const { clock, bus, components, store, registry, tariff, log } = foundation;
  const { prices, telemetry, loads, pv, marketWeather } = inputs;
  const { documents } = store;
  const sites = registry.list();
  const published = () => prices.published();
  const forecast = await running.begin(
    new ForecastService({
      clock,
      bus,
      components,
      documents,
      published,
      weather: marketWeather,
      schedule: settings.forecast.schedule,
      log,
    }),
  );
  const forecastHours = (count: number) => forecast.hours(count);
  const live = (siteId: string) => telemetry.live(siteId);
  // The estimator and the follower read one another.
  const deviceState = (siteId: string, slot: number): DeviceState | undefined =>
    estimator.state(siteId, slot);
  const follower = new SurplusFollower({ clock, bus, sites: registry, live, deviceState });
  const estimator = new DeviceEstimator({
    clock,
    bus,
    sites: registry,
    telemetry,
    takenSteps: (...range) => follower.takenSteps(...range),
    log,
  });
  const flex = await running.begin(
    new FlexService({
      clock,
      bus,
      sites,
      priceMinutes: settings.market.resolution_minutes,
      breakPenaltyCtKwh: settings.market.break_penalty_ct_kwh,
      forecastHours,
      published,
      tariff,
      deviceState,
      takenKwh: (...range) => follower.takenKwh(...range),
      documents,
      log,
    }),
  );
  estimator.start((siteId) => flex.current(siteId));
  running.add(estimator);
  const optimizer = new OptimizerService();
  running.add(optimizer);
  const peaks = await running.begin(
    new MonthPeaks({
      clock,
      sites: registry,
      tariff,
      sources: { metered: store.meter, readings: (...range) => store.samples.range(...range) },
      log,
    }),
  );
  const facts = {
    peakImportKw: (siteId: string) => peaks.kw(siteId),
    stepMinutes: settings.market.resolution_minutes,
    freshness: {
      staleMinutes: settings.telemetry.stale_minutes,
      lostMinutes: settings.telemetry.lost_minutes,
    },
    forecastHours,
    published,
    tariff,
    live,
    loadModel: (siteId: string) => loads.model(siteId),
    pvEnergy: (siteId: string, steps: readonly Interval[]) => pv.energy(siteId, steps),
  };
  const devices = new DeviceService({ clock, bus, sites, facts, flex, deviceState, planner: optimizer, log });
  devices.start();
  running.add(devices);
  const ledger = ledgerOf(store, { clock, series: published });
  const savings = await running.begin(new LedgerService({ clock, bus, sites: registry, ledger, log }));
  const plans = await running.begin(
    new PlanService({
      clock,
      bus,
      sites,
      ...facts,
      flex,
      documents,
      components,
      log,
    }),
  );
  const commands = await running.begin(
    new CommandHistory({
      clock,
      bus,
      sites: registry,
      plan: (siteId) => plans.current(siteId),
      slots: (siteId) => flex.current(siteId),
      documents,
      log,
    }),
  );
  const batteryMostKw = (siteId: string) => {
    const scalars = plans.current(siteId)?.scalars;
    return scalars && (scalars.chargeNow === 1 ? scalars.chargePowerKw : scalars.chargeCapKw);
  };
  follower.start({ flex, batteryMostKw });
  running.add(follower);
  const effects: PlanEffects = {
    expectedCostEur: (siteId) => plans.expectedCostEur(siteId),
    recalculated: async (siteId) => {
      plans.settle(siteId);
      // The devices' new schedule changes the plan of the battery.
      await devices.settled();
      plans.settle(siteId);
    },
  };
  return { forecast, flex, plans, commands, ledger, savings, optimizer, effects };
}
