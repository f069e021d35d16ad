const httpIn = (id: string, url: string, method: string, y: number, func: string) => [
  { id, type: "http in", z: "tab", url, method, x: 100, y, wires: [[`${id}-function`]] },
  {
    id: `${id}-function`,
    type: "function",
    z: "tab",
    func,
    outputs: 1,
    x: 300,
    y,
    wires: [[`${id}-answer`]],
  },
  { id: `${id}-answer`, type: "http response", z: "tab", x: 500, y, wires: [] },
];

/** HTTP nodes of the supervised Node-RED: what a flow sees, and flows that end or block its process. */
export const FLOWS = [
  { id: "tab", type: "tab", label: "test" },
  ...httpIn(
    "hello",
    "/hello",
    "get",
    60,
    `msg.payload = { headers: msg.req.headers, path: env.get("PATH"), key: env.get("HOURGATE_OWNER__KEY") }; return msg;`,
  ),
  ...httpIn("size", "/size", "post", 120, "msg.payload = String(msg.payload.length); return msg;"),
  ...httpIn(
    "throw",
    "/throw",
    "get",
    180,
    `setTimeout(() => { throw new Error("in a timer"); }, 1); return msg;`,
  ),
  ...httpIn("reject", "/reject", "get", 240, `Promise.reject(new Error("rejected by the flow"));`),
  ...httpIn("block", "/block", "get", 300, "for (;;) {}"),
];
