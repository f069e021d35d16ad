import { serveTasks } from "../../core/work/serve-tasks.js";
import { type CalendarPeriod, type CalendarRules, calendarPeriods } from "./calendar-periods.js";

const tasks = {
  read: ({ text, rules }: { text: string; rules: CalendarRules }): CalendarPeriod[] =>
    calendarPeriods(text, rules),
};

export type CalendarTasks = typeof tasks;

serveTasks(() => tasks);
