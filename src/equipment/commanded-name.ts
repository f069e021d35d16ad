import type { PlantSettings } from "../config/settings.js";
import type { Language } from "../core/language.js";
import { deviceLabel } from "../plan/windows/slot-schedule.js";
import { parseControls } from "./states.js";
import type { ActuatorTemplate } from "./template.js";

/** How a device that takes commands is called: as its owner calls it or what it controls, otherwise by its template. */
export function commandedName(
  { id, controls, template: templateId }: { id: string; controls: string; template: string },
  {
    plant,
    template,
    language,
  }: {
    plant: Pick<PlantSettings, "devices" | "slots">;
    template(id: string): Pick<ActuatorTemplate, "name"> | undefined;
    language: Language;
  },
): string {
  const own = plant.devices.find((one) => one.id === id)?.name ?? "";
  if (own !== "") return own;
  const slot = parseControls(controls)?.slot;
  const driven = plant.slots.find((one) => one.slot === slot);
  return driven === undefined ? (template(templateId)?.name[language] ?? id) : deviceLabel(driven, language);
}
