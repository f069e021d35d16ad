import type { PlanEffects } from "../accounts/settings-history.js";
import type { Settings } from "../config/settings.js";
import { SlotSwitches } from "../equipment/slot-switches.js";
import { ForecastService } from "../forecast/price/service.js";
import { MonthPeaks } from "../money/bill/month-peak.js";
import { ChargingSessions } from "../money/ledger/charging-sessions.js";
import { Ledger } from "../money/ledger/ledger.js";
import { LedgerService } from "../money/ledger/service.js";
import { WhyService } from "../money/why/why-service.js";
import { DecisionRecords } from "../plan/decision-records.js";
import { CommandHistory } from "../plan/devices/command-history.js";
import { Deliveries } from "../plan/devices/deliveries.js";
import { DeviceEstimator } from "../plan/devices/estimator.js";
import { PlugReadings } from "../plan/devices/plug-readings.js";
import { DeviceService } from "../plan/devices/service.js";
import { SlotMeters } from "../plan/devices/slot-meters.js";
import { SurplusFollower } from "../plan/devices/surplus-follower.js";
import { PlanService } from "../plan/service.js";
import { OptimizerService } from "../plan/solver/service.js";
import { FlexService } from "../plan/windows/service.js";
import { BalanceMonitor } from "../telemetry/balance-monitor.js";
import type { Foundation } from "./foundation.js";
import type { Inputs } from "./inputs.js";
import type { Running } from "./running.js";

export type Planning = Awaited<ReturnType<typeof startPlanning>>;

/** Starts the forecast, then the schedules of flexible devices, then the plan of each battery. */
export async function startPlanning(
  settings: Settings,
  {
    foundation,
    inputs,
    running,
    sampledLoads,
  }: { foundation: Foundation; inputs: Inputs; running: Running; sampledLoads: number | undefined },
) {
  const core = { ...foundation, ...inputs };
  const { prices } = inputs;
  const { schedule } = settings.forecast;
  const forecast = await running.begin(
    new ForecastService({ ...core, weather: inputs.marketWeather, schedule }),
  );
  const follower = new SurplusFollower(core);
  const estimator = new DeviceEstimator({ ...core, follower });
  const meters = new SlotMeters(core);
  meters.start();
  running.add(meters);
  const switches = new SlotSwitches(core);
  running.add(switches);
  const deliveries = new Deliveries({ meters, follower, switches });
  const { break_penalty_ct_kwh: breakPenaltyCtKwh } = settings.market;
  const flex = await running.begin(
    new FlexService({ ...core, breakPenaltyCtKwh, forecast, estimator, deliveries, switches }),
  );
  await running.begin(new PlugReadings({ ...core, flex }));
  estimator.start(flex);
  running.add(estimator);
  const optimizer = new OptimizerService();
  running.add(optimizer);
  await running.begin(new BalanceMonitor(core));
  const peaks = await running.begin(new MonthPeaks(core));
  const sources = { ...core, forecast, flex, peaks, meters };
  const devices = new DeviceService({ ...sources, estimator, optimizer });
  devices.start();
  running.add(devices);
  const ledger = new Ledger({
    ...core,
    series: () => prices.published(),
    assumed: (...range) => flex.assumedSteps(...range),
  });
  const savings = await running.begin(new LedgerService({ ...core, flex, ledger }));
  const sessions = new ChargingSessions({ ...core, flex, ledger });
  sessions.start();
  running.add(sessions);
  const decisions = new DecisionRecords(core);
  decisions.start();
  running.add(decisions);
  const plans = await running.begin(
    new PlanService({ ...sources, devices, ...(sampledLoads !== undefined && { sampledLoads }) }),
  );
  const commands = await running.begin(new CommandHistory({ ...core, plans, flex }));
  follower.start({ flex, estimator, plans });
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
  return {
    forecast,
    flex,
    devicePlans: devices,
    switches,
    plans,
    commands,
    why: new WhyService({ ...core, ledger, decisions }),
    ledger,
    savings,
    sessions,
    optimizer,
    effects,
  };
}
