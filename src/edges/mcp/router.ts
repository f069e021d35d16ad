import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Router } from "express";
import type { AccountRepository } from "../../accounts/account-repository.js";
import type { AuditLog } from "../../accounts/audit-log.js";
import type { Operation } from "../../api/operation.js";
import { requireAllowed } from "../../api/quota-exceeded.js";
import { refusalAnswer } from "../../api/request.js";
import type { Services } from "../../api/services.js";
import { parseForeignJson } from "../../core/json.js";
import type { Log } from "../../core/log.js";
import { bearerToken } from "../../core/net/bearer-token.js";
import { boundedBody } from "../../core/net/bounded-body.js";
import { isSameHost } from "../../core/net/host-names.js";
import type { TrustedProxies } from "../../core/net/trusted-proxies.js";
import type { LedgerService } from "../../money/ledger/service.js";
import { Confirmations } from "./confirmations.js";
import { type FigureToolOptions, figureTools } from "./figure-tools.js";
import { homeTools } from "./home-tools.js";
import { overrideTools } from "./override-tools.js";
import { operationRunner, type Tool, type ToolCaller, type ToolResult } from "./tool.js";
import { whatIfTool } from "./what-if-tool.js";

const MAX_BODY_BYTES = 64 * 1024;
/** Bytes read and discarded beyond the limit, so that clients that only read after sending get the answer. */
const MAX_DRAINED_BYTES = 8 * 1024 * 1024;
const ALLOW = "POST, OPTIONS";

export interface McpOptions extends Pick<FigureToolOptions, "ledger"> {
  savings: Pick<LedgerService, "now">;
  services: Services;
  operations: readonly Operation[];
  proxies: TrustedProxies;
  accountBook: Pick<AccountRepository, "get">;
  audit: Pick<AuditLog, "record">;
  log: Pick<Log, "error">;
  /** Wall time; left out: that of the machine. */
  nowMs?: () => number;
}

interface Reply {
  status: number;
  body?: string;
  headers?: OutgoingHttpHeaders;
}

/** `/mcp`: an assistant asks the home of a key, over the Model Context Protocol (docs/ask.md). */
export function createMcp(options: McpOptions): Router {
  const { services, log } = options;
  const tools = toolsOf(options);

  const callTool = async (
    tool: Tool,
    input: Record<string, unknown>,
    caller: ToolCaller,
  ): Promise<ToolResult> => {
    const { access, address } = caller;
    const counted = { access, address, quotaClass: tool.quotaClass ?? "decision" } as const;
    try {
      requireAllowed(await services.quotas.peek(counted));
      const { document, text } = await tool.run(input, caller);
      requireAllowed(await services.quotas.consume(counted));
      return { content: [{ type: "text", text }], structuredContent: document };
    } catch (thrown) {
      const onFailure = (err: unknown) => log.error({ err, tool: tool.name }, "A tool of /mcp failed.");
      const { document } = refusalAnswer(thrown, access, onFailure);
      const { message } = document.error as { message: string };
      return { isError: true, content: [{ type: "text", text: message }], structuredContent: document };
    }
  };

  const answer = async (req: IncomingMessage): Promise<Reply> => {
    if (req.method === "OPTIONS") return { status: 204, headers: { Allow: ALLOW } };
    if (!isSameHost(req.headers.origin, req.headers.host))
      return refused(403, "Pages of other sites must not call the gateway.");
    const key = bearerToken(req.headers);
    const access = key === undefined ? undefined : services.accounts.access(key);
    const site = access?.tokenValid ? access.site : undefined;
    if (access === undefined || site === undefined)
      return refused(
        401,
        "Send a key of the home as Authorization: Bearer; its owner finds it under Connect.",
        {
          "WWW-Authenticate": 'Bearer realm="hourgate"',
        },
      );
    if (req.method !== "POST")
      return refused(405, "Send messages with POST; there are no sessions and no stream.", { Allow: ALLOW });
    const bytes = await boundedBody(req, { maxBytes: MAX_BODY_BYTES, drainedBytes: MAX_DRAINED_BYTES });
    if (bytes === undefined)
      return refused(413, "The message is larger than 64 KiB.", { Connection: "close" });
    let message: unknown;
    try {
      message = parseForeignJson(bytes.toString("utf8"));
    } catch {
      return refused(400, "The body is not JSON.", {}, -32700);
    }
    if (typeof message !== "object" || message === null || Array.isArray(message))
      return refused(400, "Send one JSON-RPC message, an object, in each request.", {}, -32600);
    const caller: ToolCaller = {
      access,
      site,
      now: services.clock.now(),
      address: options.proxies.clientAddress(req),
    };
    const { answerMessage } = await import("./protocol.js");
    return answerMessage({
      message,
      headers: protocolHeaders(req),
      version: services.version,
      tools,
      call: (tool, input) => callTool(tool, input, caller),
    });
  };

  const router = Router({ caseSensitive: true });
  router.all("/mcp", (req, res) => {
    answer(req)
      .catch((thrown: unknown) => {
        if (!req.destroyed || req.complete) log.error({ err: thrown }, "A request to /mcp failed.");
        return refused(500, "The gateway failed to answer; its log names the cause.", {}, -32603);
      })
      .then((reply) => send(res, reply));
  });
  return router;
}

function toolsOf(options: McpOptions): Tool[] {
  const { services, operations, accountBook, audit, nowMs = Date.now } = options;
  return [
    ...homeTools({ ...options, whyThen: operationRunner(operations, "GET", "/v1/plant/why") }),
    ...figureTools({
      ...options,
      plan: operationRunner(operations, "POST", "/v1/decision/hours-demand"),
      prices: operationRunner(operations, "GET", "/v1/forecast"),
    }),
    whatIfTool({
      whatIf: {
        read: operationRunner(operations, "GET", "/v1/plant/what-if"),
        ask: operationRunner(operations, "POST", "/v1/plant/what-if"),
      },
    }),
    ...overrideTools({
      services,
      confirmations: new Confirmations(nowMs),
      override: operationRunner(operations, "POST", "/v1/plant/device-overrides"),
      onChange: ({ access, site, address }) => {
        const account = access.accountId && accountBook.get(access.accountId)?.email;
        audit.record({
          event: "device.overridden",
          ...(account && { account }),
          from: address,
          site: site.id,
        });
      },
    }),
  ];
}

function protocolHeaders(req: IncomingMessage): Headers {
  const headers = new Headers();
  for (const name of ["accept", "content-type", "mcp-protocol-version"]) {
    const value = req.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  return headers;
}

/** An error of the protocol that belongs to no request. */
function refused(status: number, message: string, headers: OutgoingHttpHeaders = {}, code = -32000): Reply {
  return { status, headers, body: JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null }) };
}

function send(res: ServerResponse, { status, body = "", headers = {} }: Reply): void {
  if (res.headersSent || res.destroyed) return;
  const type = body === "" ? {} : { "Content-Type": "application/json; charset=utf-8" };
  res.writeHead(status, { ...type, "Content-Length": Buffer.byteLength(body), ...headers });
  res.end(body);
}
