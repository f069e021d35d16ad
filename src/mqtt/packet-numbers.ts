import { writeToStream } from "mqtt-packet";

/**
 * mqtt-packet, by which both broker and client write, would at its first packet make a Buffer for each of the 65 536
 * numbers that a packet may have: 7 MB for what takes a moment to make when it is needed.
 */
export function makePacketNumbersWhenNeeded(): void {
  writeToStream.cacheNumbers = false;
}
