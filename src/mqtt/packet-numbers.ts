import { writeToStream } from "mqtt-packet";

/**
 * Turns off a cache of mqtt-packet, which would create a Buffer for each of the 65,536 packet identifiers (7 MB) at the
 * first packet.
 */
export function makePacketNumbersWhenNeeded(): void {
  writeToStream.cacheNumbers = false;
}
