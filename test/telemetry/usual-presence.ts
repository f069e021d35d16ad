const NONE = [] as const;

/** Sites without a calendar. */
export const NO_CALENDARS = {
  periods: () => NONE,
  view: () => undefined,
  cut: async () => {},
  set: async () => {},
  remove: async () => {},
};

/** A home in which nobody named an absence or guests. */
export const USUAL_PRESENCE = { periods: () => [], mayBeAway: () => true };
