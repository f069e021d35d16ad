import { createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A mail server that takes (or refuses) every mail and keeps what was said to it. */
export async function smtpResponder({ refuses = false } = {}) {
  const mails: { envelope: string[]; data: string }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setEncoding("utf8");
    let heard = "";
    let data: string | undefined;
    let envelope: string[] = [];
    const say = (line: string) => socket.write(`${line}\r\n`);
    say("220 test ESMTP");
    socket.on("data", (chunk: string) => {
      heard += chunk;
      for (let end = heard.indexOf("\r\n"); end >= 0; end = heard.indexOf("\r\n")) {
        const line = heard.slice(0, end);
        heard = heard.slice(end + 2);
        if (data !== undefined) {
          if (line !== ".") data += `${line}\n`;
          else {
            mails.push({ envelope, data });
            [data, envelope] = [undefined, []];
            say("250 taken");
          }
        } else if (/^(MAIL|RCPT)/i.test(line)) {
          envelope.push(line);
          say(refuses ? "550 not here, http://gateway.example/confirm?token=secret" : "250 ok");
        } else if (/^DATA/i.test(line)) {
          data = "";
          say("354 go on");
        } else if (/^QUIT/i.test(line)) socket.end("221 bye\r\n");
        else say("250 ok");
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { port: address.port, mails };
}
