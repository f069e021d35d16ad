/** The languages of everything that people read. */
export type Language = "de" | "en";
