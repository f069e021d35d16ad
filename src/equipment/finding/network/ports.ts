import { connect } from "node:net";

const CONNECT_MS = 800;

/** Whether somebody listens at a port. */
export function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (isOpen: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isOpen);
    };
    const timer = setTimeout(() => end(false), CONNECT_MS);
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
