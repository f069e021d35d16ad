/** What a source says of a register that the device does not have and need not have. */
export const ABSENT = "absent";
/** What a source says of a register that follows the readings of the home and is as it was written last. */
export const AS_WRITTEN = "as written";
