import type { Settings } from "../config/settings.js";
import { examineClock, listenToServerDates } from "./clock.js";
import { examineDataFolder } from "./data-folder.js";
import { about, type Finding } from "./finding.js";
import { examineMachine, type Machine, thisMachine } from "./machine.js";
import { examinePartners } from "./partners.js";
import { examinePorts } from "./ports.js";
import { examineRunningGateway } from "./running-gateway.js";
import { examineSources } from "./sources.js";

export interface ExamineOptions {
  machine?: Machine;
  /** How long any server is waited for, ms of wall time. */
  limitMs?: number;
}

const ANSWER_LIMIT_MS = 10_000;

/**
 * Looks at everything that the gateway with these settings rests on: the machine, its data, its ports, the servers that
 * it asks, and the gateway itself where it runs. Changes nothing; never rejects for what it finds.
 */
export async function examine(settings: Settings, options: ExamineOptions = {}): Promise<Finding[]> {
  const { machine = thisMachine(), limitMs = ANSWER_LIMIT_MS } = options;
  const { start } = settings.clock;
  const now = start === null ? new Date() : new Date(start);
  const gateway = await examineRunningGateway(settings);
  // Only now: what a gateway on this machine says about the time is this machine's own.
  const serverDates = listenToServerDates();
  const [dataFolder, ports, sources, partners] = await Promise.all([
    examineDataFolder(settings.data_dir, gateway.state === "running"),
    examinePorts(settings, gateway.state),
    examineSources(settings, now, limitMs),
    examinePartners(settings, limitMs),
  ]);
  return [
    ...examineMachine(machine),
    examineClock(serverDates()),
    ...(start === null
      ? []
      : [
          about("replay clock").warn(
            `It is set and begins at ${start}: remove clock.start for real operation.`,
          ),
        ]),
    ...dataFolder,
    ...sources,
    ...ports,
    ...partners,
    ...gateway.findings,
  ];
}
