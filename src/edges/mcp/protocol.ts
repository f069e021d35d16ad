import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import type { Tool, ToolResult } from "./tool.js";

const INSTRUCTIONS =
  "hourgate plans the battery and the devices of a home on hourly electricity prices. Ask status first. Times are local, prices ct/kWh, energies kWh, amounts EUR. Say figures as they are given, and do not compute new ones.";

/** Made once: a server makes one of its own otherwise, for each message. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

export interface AskedMessage {
  /** One JSON-RPC message. */
  message: unknown;
  headers: Headers;
  version: string;
  tools: readonly Tool[];
  call(tool: Tool, input: Record<string, unknown>): Promise<ToolResult>;
}

/**
 * Answers one message as a server of the Model Context Protocol, over streamable HTTP without sessions: nothing is kept between
 * messages. This file alone loads the SDK; it is imported with the first message.
 */
export async function answerMessage({ message, headers, version, tools, call }: AskedMessage): Promise<{
  status: number;
  body: string;
}> {
  const server = new Server(
    { name: "hourgate", version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(described) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined)
      throw new McpError(ErrorCode.InvalidParams, "There is no such tool; tools/list names them.");
    return call(tool, params.arguments ?? {});
  });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const request = new Request("http://localhost/mcp", { method: "POST", headers });
    const response = await transport.handleRequest(request, { parsedBody: message });
    return { status: response.status, body: await response.text() };
  } finally {
    await server.close();
  }
}

function described({ name, title, description, schema, isReadOnly }: Tool) {
  return {
    name,
    title,
    description,
    inputSchema: { ...schema, type: "object" as const },
    annotations: { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: false },
  };
}
