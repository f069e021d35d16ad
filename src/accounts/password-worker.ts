import { scryptSync } from "node:crypto";
import { serveTasks } from "../core/work/serve-tasks.js";

/** Cost of scrypt. */
export interface ScryptCost {
  N: number;
  r: number;
  p: number;
}

interface Derivation {
  password: string;
  salt: Uint8Array;
  bytes: number;
  cost: ScryptCost;
}

/** Node's default of 32 MiB is slightly too low for the usual cost. */
const MEMORY_LIMIT = 64 * 1024 * 1024;

const tasks = {
  derive: ({ password, salt, bytes, cost }: Derivation): Uint8Array =>
    scryptSync(password, salt, bytes, { ...cost, maxmem: MEMORY_LIMIT }),
};

export type PasswordTasks = typeof tasks;

serveTasks(() => tasks);
