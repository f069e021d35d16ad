import { checkModule } from "../../src/config/kit/prepare-check.js";
import { CHECKS_FOLDER, preparedFile } from "../../src/config/kit/prepared-check.js";
import { configurationCheck } from "../../src/config/validate.js";
import { preparedPath } from "../../src/core/installation.js";
import { templateCheck } from "../../src/equipment/template.js";
import { preparedTemplates, TEMPLATES_FOLDER } from "../../src/equipment/template-library.js";
import { stateCheck } from "../../src/store/state.js";

/** The checks of a start as they are compiled, with their files in the cache of the sources, named by their schemas. */
export const preparedChecks = () =>
  [configurationCheck, stateCheck, templateCheck].map((check) => ({
    path: preparedPath(`${CHECKS_FOLDER}/${preparedFile(check)}`),
    text: () => checkModule(check),
  }));

/** The shipped templates as they are read, with their files in that cache, named by their texts. */
export const templates = () =>
  preparedTemplates().map(({ name, text }) => ({ path: preparedPath(`${TEMPLATES_FOLDER}/${name}`), text }));
