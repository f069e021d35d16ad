import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface AnsweringServer {
  url: string;
  /** Requests so far, as path with query. */
  requests: string[];
  /** Sets the handler of the next requests. */
  answer(handler: Handler): void;
  close(): Promise<void>;
}

/** A real HTTP server on loopback that replaces an internet service. */
export async function answeringServer(first: Handler): Promise<AnsweringServer> {
  let handler = first;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    requests,
    answer: (next) => {
      handler = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The text of a recorded response in test/fixtures/answers. */
export function recorded(name: string): string {
  return readFileSync(new URL(`../fixtures/answers/${name}`, import.meta.url), "utf8");
}

/** A handler that responds with JSON text. */
export function json(text: string): Handler {
  return (_request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(text);
  };
}
