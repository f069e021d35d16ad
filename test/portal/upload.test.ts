import { readdir, readFile } from "node:fs/promises";
import { type ClientRequest, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import type { Request } from "express";
import { expect, it, onTestFinished } from "vitest";
import { FormBody } from "../../src/portal/form-body.js";
import { UploadReader } from "../../src/portal/upload.js";
import { TemporaryFiles } from "../../src/store/temporary-files.js";
import { temporaryFolder } from "../store/support/folder.js";
import { eventually } from "../support/eventually.js";

/** A server that receives forms; the account is the path, and the answer has what is received. */
async function receiving(limits: { leastBytesPerSecond?: number; checkMs?: number } = {}) {
  const folder = await temporaryFolder();
  const uploads = new UploadReader({ files: new TemporaryFiles(folder), ...limits });
  const server = createServer(async (req, res) => {
    const sender = { owner: req.url!, isOwnForm: (token: string) => token === "right" };
    const form = await uploads.read(req as Request, sender);
    if (!(form instanceof FormBody)) return void res.end(JSON.stringify(form));
    const files = await Promise.all(
      form.files.map(async ({ field, name, path }) => [field, name, await readFile(path, "latin1")]),
    );
    await uploads.discard(form);
    res.end(JSON.stringify({ fields: form.entries(), files }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const begin = (account: string, headers: Record<string, string | number> = {}) => {
    const sending = request(`http://127.0.0.1:${port}/${account}`, {
      method: "POST",
      headers: { "content-type": "multipart/form-data; boundary=x", ...headers },
    });
    onTestFinished(() => void sending.destroy());
    return sending;
  };
  return {
    folder,
    begin,
    send: (body: string | Buffer, account = "anna") => answerTo(begin(account).end(body)),
  };
}

const answerTo = (sending: ClientRequest) =>
  new Promise<unknown>((resolve, reject) => {
    sending.on("error", reject);
    sending.on("response", async (response) => {
      const chunks = await response.toArray();
      resolve(JSON.parse(Buffer.concat(chunks).toString()));
    });
  });

const part = (headers: string, content: string) =>
  `--x\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${content}\r\n`;
const TOKEN = part('name="_csrf"', "right");
const END = "--x--\r\n";

it("receives fields and files, and keeps none of them", async () => {
  const { folder, send } = await receiving();
  const big = "0123456789".repeat(20_000);
  const body = [
    TOKEN,
    part('name="site"', "home"),
    part('name="files"; filename="../b.csv"', big),
    part('name="files"; filename="a.csv"', "x;y"),
    part('name="files"; filename=""', ""),
    END,
  ].join("");
  expect(await send(body)).toEqual({
    fields: [
      ["_csrf", "right"],
      ["site", "home"],
    ],
    files: [
      ["files", "b.csv", big],
      ["files", "a.csv", "x;y"],
    ],
  });
  expect(await readdir(folder)).toEqual([]);
});

it.each([
  ["21 parts", TOKEN + part('name="a"', "").repeat(20) + END, "upload"],
  ["parts without headers", `${"--x\r\n\r\n\r\n".repeat(100_000)}${END}`, "upload"],
  ["a long field", TOKEN + part('name="a"', "x".repeat(5000)) + END, "upload"],
  ["a file before the token", part('name="files"; filename="a"', "x") + TOKEN + END, 403],
  ["a file after a wrong token", part('name="_csrf"', "no") + part('name="f"; filename="a"', "x") + END, 403],
  ["a body that ends within a file", TOKEN + part('name="files"; filename="a"', "x"), 400],
  ["no parts", "hello", 400],
])("refuses %s, and keeps nothing", async (_name, body, refuse) => {
  const { folder, send } = await receiving();
  expect(await send(body)).toEqual({ refuse });
  await eventually(async () => expect(await readdir(folder).catch(() => [])).toEqual([]));
});

it("refuses a body above 40 MB by its stated and by its real length", async () => {
  const { begin } = await receiving();
  const stated = begin("anna", { "content-length": 41 * 1024 * 1024 });
  stated.flushHeaders();
  expect(await answerTo(stated)).toEqual({ refuse: "upload" });
  const real = begin("bert");
  const answer = answerTo(real);
  real.write(TOKEN + part('name="files"; filename="a"', ""));
  const chunk = Buffer.alloc(1024 * 1024, "a");
  for (let mb = 0; mb < 41; mb++) real.write(chunk);
  real.end();
  expect(await answer).toEqual({ refuse: "upload" });
});

it("receives one form of an account at a time, and ends one that is too slow", async () => {
  const { begin, send } = await receiving({ leastBytesPerSecond: 1000, checkMs: 1500 });
  const form = TOKEN + part('name="files"; filename="a"', "1") + END;
  const slow = begin("anna");
  const ended = answerTo(slow);
  slow.write(form.slice(0, 50));
  await eventually(async () => expect(await send(form)).toEqual({ refuse: "uploading" }));
  expect(await send(form, "bert")).toMatchObject({ files: [["files", "a", "1"]] });
  expect(await ended).toEqual({ refuse: "slow" });
  slow.destroy();
  expect(await send(form)).toMatchObject({ files: [["files", "a", "1"]] });
});
