/** Languages of all user-facing texts. */
export type Language = "de" | "en";
