import { readFileSync } from "node:fs";
import { lackingControls } from "../accounts/site-registry.js";
import { actuatorSettingsOf } from "../config/commanded-devices.js";
import { withFormerActuators } from "../config/new-device.js";
import type { PlantSettings, Settings } from "../config/settings.js";
import type { SchemaFinding } from "../config/validate.js";
import { errorMessage } from "../core/error-message.js";
import { readTlsFiles } from "../core/net/tls-files.js";
import { batteryDevice } from "../equipment/battery-modes.js";
import { configuredDevice } from "../equipment/configured-device.js";
import { ExpressionError } from "../equipment/expression.js";
import { ActuatorInputError } from "../equipment/input-error.js";
import { readingFaults } from "../equipment/reading/settings-faults.js";
import { type TemplateLibrary, unknownTemplate } from "../equipment/template-library.js";
import type { TransportSources } from "../equipment/transport/create.js";
import type { ConfigTexts } from "../texts/index.js";
import { NO_CHANNEL, sourcesAlone, templatesOf } from "./devices-alone.js";

/** What a start finds in a configuration whose keys and values are valid. */
export interface StartFaults {
  problems: SchemaFinding[];
  /** What is left out of the plan. */
  warnings: SchemaFinding[];
  /** Template files of the data folder that are not used. */
  templates: TemplateLibrary["problems"];
}

/** Looks at certificates and devices as a start does, without a connection to any device. */
export async function startFaults(settings: Settings, texts: ConfigTexts): Promise<StartFaults> {
  const templates = await templatesOf(settings);
  const shared = {
    ...sourcesAlone(settings.actuators),
    connect: () => ({ ...NO_CHANNEL, close: async () => {} }),
  };
  const targets = new Map<string, string>();
  const faults: SchemaFinding[] = [];
  const warnings: SchemaFinding[] = [];
  for (const [index, written] of settings.plants.entries()) {
    const plant = withFormerActuators(written);
    const found = new Map(
      [...(await readingFaults(shared, plant, templates))].map(([device, message]) => [
        plant.devices[device]!.id,
        message,
      ]),
    );
    for (const [id, message] of commandFaults(shared, plant, { templates, targets }))
      if (!found.has(id)) found.set(id, message);
    for (const [id, message] of found) faults.push({ path: placeOf(written, index, id), message });
    const possible = plant.battery && batteryDevice(plant, (id) => templates.get(id))?.modes;
    const lacking = possible && lackingControls(plant.battery!.controls, possible);
    if (lacking)
      warnings.push({ path: ["plants", String(index), ...lacking.path], message: lacking.message });
  }
  return {
    problems: [...(await tlsFaults(settings, texts)), ...faults],
    warnings,
    templates: templates.problems,
  };
}

/** What is wrong with the commands of a plant's devices, by their ids. `targets`: what is driven so far, by which device. */
function commandFaults(
  shared: TransportSources,
  plant: PlantSettings,
  { templates, targets }: { templates: TemplateLibrary; targets: Map<string, string> },
): [id: string, message: string][] {
  const site = { id: plant.id, accountId: "", plant };
  const isExperimental = (template: string) => templates.get(template)?.experimental ?? false;
  return actuatorSettingsOf(plant, isExperimental).flatMap((settings): [string, string][] => {
    const { id } = settings;
    try {
      const template = templates.get(settings.template);
      if (template === undefined) throw unknownTemplate(settings.template, templates.ids());
      const { targets: own } = configuredDevice(site, settings, template, shared);
      const other = own.map((target) => targets.get(target)).find((one) => one !== undefined);
      for (const target of own) targets.set(target, targets.get(target) ?? `${plant.id}/${id}`);
      return other === undefined
        ? []
        : [[id, `drives the same device as ${other}, which keeps it; remove one of them.`]];
    } catch (error) {
      if (!(error instanceof ActuatorInputError || error instanceof ExpressionError)) throw error;
      return [[id, errorMessage(error)]];
    }
  });
}

function placeOf({ devices, actuators }: PlantSettings, plant: number, id: string): string[] {
  const device = devices.findIndex((one) => one.id === id);
  return device >= 0
    ? ["plants", String(plant), "devices", String(device)]
    : ["plants", String(plant), "actuators", String(actuators.findIndex((one) => one.id === id))];
}

/** Certificates that cannot be used; a start ends with them. */
async function tlsFaults({ http, mqtt }: Settings, { file: texts }: ConfigTexts): Promise<SchemaFinding[]> {
  const found: SchemaFinding[] = [];
  const check = async (path: string[], read: () => Promise<unknown>) => {
    const message = await read().then(
      () => undefined,
      (error: unknown) => texts.unusable(errorMessage(error)),
    );
    if (message !== undefined) found.push({ path, message });
  };
  const { ca_file: ca } = mqtt.external;
  if (http.tls !== null) await check(["http", "tls"], () => readTlsFiles(http.tls!));
  if (mqtt.broker.enabled && mqtt.external.url === null && mqtt.broker.tls !== null)
    await check(["mqtt", "broker", "tls"], () => readTlsFiles(mqtt.broker.tls!));
  if (ca !== null) await check(["mqtt", "external", "ca_file"], async () => readFileSync(ca));
  return found;
}
