/** A home in which nobody named an absence or guests. */
export const USUAL_PRESENCE = { periods: () => [], mayBeAway: () => true };
