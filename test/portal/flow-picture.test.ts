import { h } from "preact";
import { render } from "preact-render-to-string";
import { expect, it } from "vitest";
import { type FlowNode, FlowPicture } from "../../src/portal/dashboard/flow-picture.js";

const node = (id: string, note: string): FlowNode => ({
  id,
  kind: "home",
  name: id,
  value: "1,00 kW",
  note,
  state: "",
  href: "/",
  inKw: 0,
  isStale: false,
});

/** Upper edge and sides of the texts below and beside the circles, in units of the picture: a character is 8 wide at most. */
function textsOf(nodes: readonly FlowNode[]) {
  const html = render(h(FlowPicture, { nodes, label: "" }));
  const [, width] = /viewBox="0 0 (\d+) /.exec(html)!;
  const texts = [...html.matchAll(/<text class(?:="")? x="([\d.]+)" y="([\d.]+)">([^<]*)/g)];
  const house = [...html.matchAll(/<text class="(?:name)? beside" x="[\d.]+" y="([\d.]+)"/g)];
  return {
    ends: texts.map(([, x, , text]) => [Number(x) - 4 * text!.length, Number(x) + 4 * text!.length] as const),
    width: Number(width),
    top: Math.min(...house.map(([, y]) => Number(y) - 12)),
  };
}

it("keeps its texts within the picture, with two long energies and without PV", () => {
  const long = [
    node("grid", "↓10,8 ↑13,2 kWh"),
    node("home", "16,7 kWh"),
    node("battery", "+10,3 −10,3 kWh"),
  ];
  for (const nodes of [long, [node("pv", "26,2 kWh"), ...long]]) {
    const { ends, width, top } = textsOf(nodes);
    expect(ends).toHaveLength(2);
    expect(Math.min(...ends.map(([left]) => left))).toBeGreaterThanOrEqual(0);
    expect(Math.max(...ends.map(([, right]) => right))).toBeLessThanOrEqual(width);
    expect(top).toBeGreaterThanOrEqual(0);
  }
});
