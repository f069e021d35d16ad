import { serveTasks } from "../../core/work/serve-tasks.js";
import { readUploadedFile } from "./read-uploaded.js";

const tasks = { read: readUploadedFile };

export type ReaderTasks = typeof tasks;

serveTasks(() => tasks);
