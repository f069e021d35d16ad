import { serveTasks } from "../../../src/core/work/serve-tasks.js";

serveTasks(() => Promise.reject(new Error("There is no solver.")));
