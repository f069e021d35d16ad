export const WHAT_IF_PATH = "/what-if";

/** The page with its list of suppliers unfolded. */
export const COMPARE_LINK = `${WHAT_IF_PATH}?ask=tariffs`;
