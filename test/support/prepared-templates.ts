import { preparedPath } from "../../src/core/installation.js";
import { preparedTemplates, TEMPLATES_FOLDER } from "../../src/equipment/template-library.js";

/** The shipped templates as they are read, with their files in the cache of the sources, named by their texts. */
export const templates = () =>
  preparedTemplates().map(({ name, text }) => ({ path: preparedPath(`${TEMPLATES_FOLDER}/${name}`), text }));
