import http from "node:http";
import https from "node:https";
import { errorMessage } from "../../core/error-message.js";
import { parseForeignJson } from "../../core/json.js";
import { localLookup, RefusedAddressError, type Resolve } from "../../core/net/resolve.js";
import { DeviceError, type DeviceRequest, type DeviceSource, type HttpParts } from "../command.js";
import type { DeviceAuth } from "../device-connection.js";
import { type AddressLimits, addressFault, hostAndPort } from "../released-hosts.js";
import { matches, valueIn } from "../values.js";
import type { Addresses } from "./addresses.js";
import { reasonOf } from "./dial.js";
import { type DigestChallenge, digestHeader, parseChallenge } from "./digest.js";
import { type Evidence, Transport } from "./transport.js";

/** The list of a Home Assistant with two thousand entities has 2 MB. */
const LARGEST_ANSWER = 4 * 1024 * 1024;

export interface HttpTransportOptions {
  auth: DeviceAuth;
  verifiesTls: boolean;
  /** Time limit of one request. */
  timeoutMs: number;
  limits: AddressLimits;
  /** Hosts of the device's settings with their ports: an expression cannot lead its secrets to another one. */
  ownHosts: readonly string[];
  resolve: Resolve;
  /** A command waits for its turn at the address. */
  addresses: Pick<Addresses, "http">;
}

interface Answer {
  status: number;
  body: string;
  challenge: string | undefined;
}

interface Call extends HttpParts {
  url: string;
  method: string;
}

/** What a device says about a refusal: the member `message` of a JSON object, such as Home Assistant's; empty for any other answer. */
function wordsOf(body: string): string {
  if (!body.startsWith("{")) return "";
  try {
    const { message } = parseForeignJson(body) as { message?: unknown };
    const text = typeof message === "string" ? message.replace(/\s+/g, " ").trim().slice(0, 160) : "";
    return text === "" ? "" : `: ${text}`;
  } catch {
    return "";
  }
}

/** A device with an HTTP interface. Each request has a connection of its own, to an address that was checked. */
export class HttpTransport extends Transport {
  readonly #options: HttpTransportOptions;
  readonly #lookup: ReturnType<typeof localLookup>;
  readonly #stopped = new AbortController();
  #challenge: DigestChallenge | undefined;
  #passwordAlgorithm: DigestChallenge["algorithm"] | undefined;

  constructor(options: HttpTransportOptions) {
    super();
    this.#options = options;
    this.#lookup = localLookup(options.resolve, options.limits.allowPublic);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
  }

  async send(request: DeviceRequest, signal: AbortSignal): Promise<void> {
    const { answer } = request;
    const { queue } = this.#options.addresses.http(request.url ?? "");
    const text = await queue.run(() => this.fetch(request, signal), { isCommand: true });
    if (answer === undefined) return;
    const value = valueIn(text, answer);
    if (value === undefined || !matches(value, answer.expected, { absolute: 0, pct: 0 }))
      throw new DeviceError("unexpected_answer", `answered ${text.slice(0, 80).trim() || "nothing"}`);
  }

  /** The text of an answer. */
  async fetch({ url = "", method = "GET", headers, body }: HttpParts, signal: AbortSignal): Promise<string> {
    return (await this.#call({ url, method, headers, body }, signal)).body;
  }

  async read(source: DeviceSource, _since: number, signal: AbortSignal): Promise<Evidence | undefined> {
    const value = valueIn(await this.fetch(source, signal), source);
    return value === undefined || source.ignore.includes(value) ? undefined : { value, isNew: true };
  }

  /** Sends a request, signed in if required. Throws DeviceError for everything except a 2xx answer. */
  async #call(call: Call, signal: AbortSignal): Promise<Answer> {
    const url = this.#checked(call.url);
    const { auth } = this.#options;
    let answer = await this.#request(url, call, signal);
    if (auth.kind === "digest")
      for (const algorithm of this.#passwordAlgorithms()) {
        if (answer.status !== 401 || answer.challenge === undefined) break;
        this.#challenge = parseChallenge(answer.challenge);
        if (this.#challenge === undefined) break;
        this.#passwordAlgorithm = algorithm;
        answer = await this.#request(url, call, signal);
      }
    const { status } = answer;
    const at = `${url.host} answered ${status}`;
    if (status === 401 || status === 403) throw new DeviceError("unauthorized", at);
    const said = wordsOf(answer.body);
    if (status === 404) throw new DeviceError("not_found", `${at} to ${url.pathname}${said}`);
    if (status >= 500) throw new DeviceError("device_error", `${at}${said}`);
    if (status < 200 || status >= 300) throw new DeviceError("refused", `${at}${said}`);
    return answer;
  }

  /** Fronius hashes user, realm and password by MD5 unless the password was set anew; its header has another name. */
  #passwordAlgorithms(): (DigestChallenge["algorithm"] | undefined)[] {
    const isOwn = this.#options.auth.challengeHeader.toLowerCase() !== "www-authenticate";
    if (!isOwn) return [undefined];
    return this.#passwordAlgorithm === "SHA-256" ? ["SHA-256", "MD5"] : ["MD5", "SHA-256"];
  }

  #checked(text: string): URL {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "")
      throw new DeviceError("template", "the address is not an HTTP address");
    const { ownHosts, limits } = this.#options;
    if (!ownHosts.includes(hostAndPort(url)))
      throw new DeviceError(
        "template",
        `the expression in an address must not change its host (${url.host})`,
      );
    const fault = addressFault(url, limits);
    if (fault === "host")
      throw new DeviceError("not_local", `${url.host} is not in the list of allowed hosts`);
    if (fault === "public") throw new DeviceError("not_local", `${url.hostname} is not in the local network`);
    return url;
  }

  #authorization(url: URL, method: string): Record<string, string> {
    const { kind, username, password, token } = this.#options.auth;
    if (kind === "bearer") return { authorization: `Bearer ${token}` };
    if (kind === "basic")
      return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}` };
    if (kind !== "digest" || this.#challenge === undefined) return {};
    const path = url.pathname + url.search;
    const passwordAlgorithm = this.#passwordAlgorithm ?? this.#challenge.algorithm;
    const request = { method, path, username, password, passwordAlgorithm };
    return { authorization: digestHeader(this.#challenge, request) };
  }

  #request(url: URL, { method, headers, body }: Call, signal: AbortSignal): Promise<Answer> {
    const { timeoutMs, verifiesTls, auth } = this.#options;
    const limit = AbortSignal.timeout(timeoutMs);
    const content = body === undefined || body === "" ? undefined : Buffer.from(body);
    const named = Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    return new Promise<Answer>((resolve, reject) => {
      const fail = (error: unknown) => reject(faultOf(error, { url, isLate: limit.aborted, timeoutMs }));
      const outgoing = (url.protocol === "https:" ? https : http).request(url, {
        method,
        agent: false,
        lookup: this.#lookup,
        signal: AbortSignal.any([signal, limit, this.#stopped.signal]),
        headers: {
          ...(content && { "content-type": "application/json", "content-length": content.byteLength }),
          ...this.#authorization(url, method),
          ...named,
        },
        ...(verifiesTls ? {} : { rejectUnauthorized: false }),
      });
      outgoing.once("response", (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.byteLength;
          if (bytes > LARGEST_ANSWER) response.destroy(new Error("The answer is too large."));
          else chunks.push(chunk);
        });
        response.on("error", fail);
        response.once("end", () => {
          const challenge = response.headers[auth.challengeHeader.toLowerCase()];
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(chunks).toString("utf8"),
            challenge: Array.isArray(challenge) ? challenge.join(", ") : challenge,
          });
        });
      });
      outgoing.on("error", fail);
      // For example after an unexpected upgrade.
      outgoing.once("close", () => fail(new Error("it closed the connection without an answer")));
      outgoing.end(content);
    });
  }
}

function faultOf(
  error: unknown,
  { url, isLate, timeoutMs }: { url: URL; isLate: boolean; timeoutMs: number },
): DeviceError {
  if (error instanceof RefusedAddressError)
    return new DeviceError("not_local", `${url.hostname} is not in the local network`);
  if (isLate) return new DeviceError("timeout", `${url.host} did not answer within ${timeoutMs / 1000} s`);
  const { code } = error as NodeJS.ErrnoException;
  const reason = reasonOf(code, "is it switched on? is the port right?");
  return new DeviceError("unreachable", `${url.host}: ${reason ?? errorMessage(error)}`);
}
