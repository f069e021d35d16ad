import type { PlantSettings } from "../config/settings.js";
import type { Language } from "../core/language.js";
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
  const label = plant.slots.find((one) => one.slot === slot)?.label ?? "";
  return label === "" ? (template(templateId)?.name[language] ?? id) : label;
}
