import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Flood } from "./flood.js";

const CONNECTIONS = 2000;
const FLOOD_MS = 4000;

/** Idle TCP connections must not keep HTTP clients out. */
export const idleHttpFlood: Flood = {
  name: "HTTP connections",
  answerMs: 5000,
  run: ({ httpPort }) => flood(httpPort, () => {}),
};

/** Neither must WebSocket upgrades to the editor without sign-in, nor those of another origin. */
export const upgradeFlood: Flood = {
  name: "HTTP upgrades",
  answerMs: 5000,
  async run({ editorPort }) {
    const opened = { own: 0, foreign: 0 };
    await flood(editorPort, (socket, index) => {
      const kind = index % 2 === 0 ? "own" : "foreign";
      const origin = kind === "own" ? `http://127.0.0.1:${editorPort}` : "https://evil.example";
      socket.once("data", (answer: Buffer) => {
        if (answer.toString("latin1").startsWith("HTTP/1.1 101")) opened[kind]++;
      });
      socket.write(
        `GET /node-red/comms HTTP/1.1\r\nHost: 127.0.0.1:${editorPort}\r\nOrigin: ${origin}\r\nConnection: Upgrade\r\n` +
          "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
      );
    });
    if (opened.own === 0) throw new Error("no upgrade was accepted: the flood tests nothing");
    if (opened.foreign > 0) throw new Error(`${opened.foreign} upgrades of another origin were accepted`);
  },
};

/** Opens the connections 200 at a time, and again those that were closed, until the time is over. */
async function flood(port: number, use: (socket: Socket, index: number) => void): Promise<void> {
  const open = new Set<Socket>();
  const over = performance.now() + FLOOD_MS;
  for (let index = 0; performance.now() < over; ) {
    for (let burst = 0; burst < 200 && open.size < CONNECTIONS; burst++, index++) {
      const socket = connect(port, "127.0.0.1");
      open.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => open.delete(socket));
      const at = index;
      void once(socket, "connect").then(
        () => use(socket, at),
        () => {},
      );
    }
    await wait(250);
  }
  for (const socket of open) socket.destroy();
}
