import { AccountInputError } from "../../accounts/input-error.js";
import { SiteSettingsError } from "../../accounts/site-registry.js";
import type { PortalTexts } from "../../texts/index.js";
import type { FieldErrors } from "../ui/form.js";

/** Error texts by form field in the language of the page. Rethrows any other error. */
export function accountErrors(error: unknown, texts: PortalTexts): FieldErrors {
  if (!(error instanceof AccountInputError)) throw error;
  return { [error.field]: texts.inputError[error.code] };
}

/** The same for the name and the reference of a site. */
export function siteErrors(error: unknown, texts: PortalTexts): FieldErrors {
  if (!(error instanceof SiteSettingsError)) throw error;
  return { label: texts.sites.refused };
}
