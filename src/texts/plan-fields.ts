import type { HomeAssistantField, LoxoneField, OutputField } from "../core/domain/plan-field-lists.js";

/** Names of the plan's fields where users see them: the portal, Home Assistant, Loxone Config and the Node-RED palette. */
export type PlanFieldTexts = Record<OutputField, { portal: string; nodeRed: string }> &
  Record<HomeAssistantField, { homeAssistant: string }> &
  Record<LoxoneField, { loxone: string }>;
