import { dotted } from "../../config/kit/node.js";
import { plausibilityText, plausibilityWarnings } from "../../config/plausibility.js";
import type { Settings } from "../../config/settings.js";
import type { Language } from "../../core/language.js";
import { localDate } from "../../core/time/zone.js";
import { tariffEndings } from "../../tariff/ending.js";
import { textsOf } from "../../texts/index.js";
import { examineClock, listenToServerDates } from "./clock.js";
import { examineDataFolder } from "./data-folder.js";
import { examineDevices } from "./devices.js";
import { about, type DoctorTexts, type Finding } from "./finding.js";
import { examineMachine, type Machine, thisMachine } from "./machine.js";
import { examinePartners } from "./partners.js";
import { examinePorts } from "./ports.js";
import { examineRunningGateway } from "./running-gateway.js";
import { examineSources } from "./sources.js";

export interface ExamineOptions {
  machine?: Machine;
  /** Time limit for each server, ms of wall time. */
  limitMs?: number;
  /** Language of the findings; English by default. */
  language?: Language;
}

const ANSWER_LIMIT_MS = 10_000;
/** A device that does not answer as its template is looked at with all templates. */
const DEVICES_LIMIT_MS = 30_000;

/**
 * Examines everything that a gateway with these settings depends on: the machine, its data, its ports, the servers
 * that it uses, and the gateway itself if it runs. Changes nothing and does not reject for any finding.
 */
export async function examine(settings: Settings, options: ExamineOptions = {}): Promise<Finding[]> {
  const { machine = thisMachine(), limitMs = ANSWER_LIMIT_MS, language = "en" } = options;
  const texts = textsOf(language).doctor;
  const { start } = settings.clock;
  const now = start === null ? new Date() : new Date(start);
  const gateway = await examineRunningGateway(settings, language);
  // After the request to the gateway: its time is that of this machine.
  const serverDates = listenToServerDates();
  const [dataFolder, ports, sources, partners, devices] = await Promise.all([
    examineDataFolder(settings.data_dir, {
      gatewayRuns: gateway.state === "running",
      isStore: settings.store.postgres.url === null,
      texts,
    }),
    examinePorts(settings, { gateway: gateway.state, texts }),
    examineSources(settings, { now, limitMs, texts }),
    examinePartners(settings, { limitMs, texts }),
    examineDevices(settings, { gateway: gateway.state, limitMs: DEVICES_LIMIT_MS, texts }),
  ]);
  return [
    ...examineMachine(machine, texts),
    examineClock(serverDates(), texts),
    ...(start === null ? [] : [about(texts.what.replay).warn(texts.replay.set(start))]),
    ...dataFolder,
    ...examinePlants(settings, { language, texts }),
    ...examineTariffs(settings, { now, texts }),
    ...sources,
    ...ports,
    ...partners,
    ...devices,
    ...gateway.findings,
  ];
}

/** Names unlikely settings of the plants. */
function examinePlants(
  { plants }: Settings,
  { language, texts }: { language: Language; texts: DoctorTexts },
): Finding[] {
  return plants.flatMap((plant) => {
    const found = about(texts.what.plant(plant.id));
    return plausibilityWarnings(plant).map((warning) =>
      found.warn(`${dotted(warning.path)}: ${plausibilityText(warning, language)}`),
    );
  });
}

/** Names amounts of the plants' tariffs that end within 60 days. */
function examineTariffs({ plants }: Settings, { now, texts }: { now: Date; texts: DoctorTexts }): Finding[] {
  return plants.flatMap(({ id, tariff, timezone }) => {
    if (tariff === null) return [];
    const found = about(texts.what.tariff(id));
    const endings = tariffEndings(tariff, localDate(now, timezone));
    return endings.map(({ date, levy }) =>
      found.warn(levy === undefined ? texts.tariff.ends(date) : texts.tariff.levyEnds(levy, date)),
    );
  });
}
