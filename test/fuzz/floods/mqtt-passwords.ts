import { connect } from "node:net";
import { connectPacket } from "../mqtt-cases.js";
import type { Flood } from "./flood.js";

const ATTEMPTS = 3000;
const AT_ONCE = 10;
const WRONG_PASSWORD = 4;

/** Wrong passwords for a user that exists: after the first ones they are refused unchecked. */
export const passwordFlood: Flood = {
  name: "MQTT passwords",
  answerMs: 2000,
  async run({ mqttPort, tenant }) {
    let checked = 0;
    for (let count = 0; count < ATTEMPTS; count += AT_ONCE) {
      const codes = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) => signIn(mqttPort, tenant.username, `${count + index}`)),
      );
      checked += codes.filter((code) => code === WRONG_PASSWORD).length;
    }
    if (checked > 30) throw new Error(`${checked} of ${ATTEMPTS} wrong passwords were checked`);
  },
};

/** The CONNACK code; undefined if the connection was closed without one. */
function signIn(port: number, username: string, password: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => resolve(undefined));
    socket.on("close", () => resolve(undefined));
    socket.on("data", (answer: Buffer) => {
      resolve(answer[3]);
      socket.destroy();
    });
    socket.write(connectPacket({ username, password, clientId: "guess", clean: true }));
  });
}
