/** Path of the overview; each kind of device has a page below it. */
export const CONNECT_PATH = "/connect";
