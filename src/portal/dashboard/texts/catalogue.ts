import type { Language } from "../../../language.js";
import type { DashboardTexts } from "./dashboard-texts.js";
import { de } from "./de.js";
import { en } from "./en.js";

/** The texts of the dashboard in a language. */
export function dashboardTexts(language: Language): DashboardTexts {
  return language === "de" ? de : en;
}
