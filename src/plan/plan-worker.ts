import { serveTasks } from "../core/work/serve-tasks.js";
import { computePlan } from "./plan-tasks.js";

const tasks = { plan: computePlan };

export type PlanWork = typeof tasks;

serveTasks(() => tasks);
