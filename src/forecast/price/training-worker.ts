import { serveTasks } from "../../core/work/serve-tasks.js";
import { ForecastIssueSet, type WeatherTable } from "./forecast-issue-set.js";
import { MarketDays, type MarketDaysData } from "./market-days.js";
import { trainOn } from "./train.js";

const tasks = {
  train: ({ days, weather }: { days: MarketDaysData; weather: readonly WeatherTable[] }) =>
    trainOn(MarketDays.from(days), { weather: ForecastIssueSet.of(weather) }),
};

export type TrainingTasks = typeof tasks;

serveTasks(() => tasks);
