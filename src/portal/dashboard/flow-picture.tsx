import { IDLE_KW } from "../../telemetry/measured-powers.js";
import { type IconName, iconPath } from "../ui/icons.js";

/** A thing in the home that energy flows to or from. */
export interface FlowNode {
  /** `pv`, `grid`, `home`, `battery`, or `device` and the number of its slot. */
  id: string;
  kind: IconName;
  name: string;
  /** `2,10 kW`; a dash where it is not measured. */
  value: string;
  /** Today's energy, its age where the value is old, or the plan of a device that is not measured. */
  note: string;
  /** What it does, in a word. */
  state: string;
  /** The page of its day. */
  href: string;
  /** Flow towards the house, kW; negative: away from it. */
  inKw: number;
  isStale: boolean;
  /** Of the battery: its state of charge. */
  socPct?: number | undefined;
}

/** Width of the picture, in units that are a pixel on a phone of 360 pixels; a circle's radius; a row with its two lines of text. */
const WIDTH = 328;
const RADIUS = 31;
const ROW = 102;
/** Height of the labels of the home, above its circle. */
const HOME_TEXTS = 33;
/** Height of a line of text, and the width of a character at most. */
const LINE = 15;
const CHARACTER = 8;
/** Lines are thicker up to this power, kW. */
const THICKEST_KW = 8;

interface Place {
  x: number;
  y: number;
  /** Room for the name, characters; left out: any short one. */
  characters?: number;
}

/** One picture of all nodes: sun above the house, grid and battery beside it, devices below. */
export function FlowPicture({ nodes, label }: { nodes: readonly FlowNode[]; label: string }) {
  const { places, height } = placesOf(nodes);
  const home = places.get("home")!;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds no picture.
    <svg class="flow" viewBox={`0 0 ${WIDTH} ${height}`} role="group" aria-label={label}>
      {nodes.map((node) => node.id !== "home" && flowLine(node, places.get(node.id)!, home))}
      {nodes.map((node) => nodePicture(node, places.get(node.id)!))}
    </svg>
  );
}

function placesOf(nodes: readonly FlowNode[]): { places: ReadonlyMap<string, Place>; height: number } {
  const places = new Map<string, Place>();
  const hasPv = nodes.some(({ id }) => id === "pv");
  const middle = RADIUS + 1 + (hasPv ? ROW : HOME_TEXTS);
  const centre = WIDTH / 2;
  places.set("pv", { x: centre, y: RADIUS + 1 });
  places.set("grid", { x: 54, y: middle });
  places.set("home", { x: centre, y: middle });
  places.set("battery", { x: WIDTH - 54, y: middle });
  const devices = nodes.filter(({ id }) => id.startsWith("device"));
  // Four in a row only where their texts have room.
  const isLong = devices.some(({ name, note }) => Math.max(name.length, note.length) * CHARACTER > WIDTH / 4);
  const perRow = isLong ? 3 : 4;
  const rows = Math.ceil(devices.length / perRow);
  let lines = 1;
  devices.forEach(({ id, name }, index) => {
    const row = Math.floor(index / perRow);
    const inRow = row === rows - 1 ? devices.length - row * perRow : perRow;
    const pitch = WIDTH / Math.max(2, inRow);
    const ownRoom = pitch / CHARACTER;
    const column = index % perRow;
    const x = centre + (column - (inRow - 1) / 2) * pitch;
    // Between short names there is room for a longer one.
    const beside = [devices[index - 1], devices[index + 1]].map((other) => other?.name.length ?? 0);
    const isInner = column > 0 && column < inRow - 1;
    const characters = Math.floor(isInner ? Math.max(ownRoom, 2 * ownRoom - Math.max(...beside)) : ownRoom);
    lines = Math.max(lines, nameLines(name, characters).length);
    places.set(id, { x: Math.round(x), y: middle + ROW * (row + 1) + LINE * (lines - 1) * row, characters });
  });
  return { places, height: middle + rows * (ROW + LINE * (lines - 1)) + RADIUS + 2 * LINE + 5 };
}

/** A name in lines of at most `characters`, broken between words, else within one. */
function nameLines(name: string, characters: number): string[] {
  const lines: string[] = [];
  for (let word of name.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= characters) {
      lines[lines.length - 1] = `${last} ${word}`;
      continue;
    }
    for (; word.length > characters; word = word.slice(characters - 1))
      lines.push(`${word.slice(0, characters - 1)}-`);
    lines.push(word);
  }
  return lines;
}

/** A circle with picture and power, name and energy beneath; it leads to the day of its node. */
function nodePicture(node: FlowNode, { x, y, characters = 20 }: Place) {
  const { id, kind, name, value, note, href, isStale, socPct } = node;
  const lines = nameLines(name, characters);
  const [number, unit] = value.split(" ");
  // Lines run below the sun and below the house: their texts are beside them.
  const [label, side] =
    id === "pv"
      ? [{ x: x + RADIUS + 8, y: y - 4 }, " beside"]
      : id === "home"
        ? [{ x: x + 10, y: y - RADIUS - 21 }, " beside"]
        : [{ x, y: y + RADIUS + 16 }, ""];
  const level = Math.min(1, Math.max(0, (socPct ?? 0) / 100));
  return (
    <a href={href} class={`node ${kind}${isStale ? " stale" : ""}`}>
      <circle cx={x} cy={y} r={RADIUS} />
      {socPct === undefined ? (
        iconPath(kind, x, y - 17, 17)
      ) : (
        <>
          <path class="level" d={segment({ x, y }, level)} />
          <circle class="ring" cx={x} cy={y} r={RADIUS} />
          <text class="soc" x={x} y={y - 11}>
            {`${Math.round(socPct)} %`}
          </text>
        </>
      )}
      {lines.map((line, index) => (
        <text key={line} class={`name${side}`} x={label.x} y={label.y + index * LINE}>
          {line}
        </text>
      ))}
      <text class="value" x={x} y={y + 6}>
        {number}
        {unit !== undefined && (
          <tspan class="unit" x={x} dy="14">
            {` ${unit}`}
          </tspan>
        )}
      </text>
      <text
        class={side}
        x={side === "" ? inPicture(label.x, note) : label.x}
        y={label.y + lines.length * LINE}
      >
        {note}
      </text>
    </a>
  );
}

/** The middle of a text: at `x`, or as far inwards as it takes to end within the picture. */
function inPicture(x: number, { length }: string): number {
  const half = (length * CHARACTER) / 2;
  return Math.max(half, Math.min(WIDTH - half, x));
}

/** The lower part of a circle, as high as `level` of its diameter. */
function segment({ x, y }: Place, level: number): string {
  const radius = RADIUS - 2;
  const top = y + radius - 2 * radius * level;
  const half = Math.sqrt(Math.max(0, radius ** 2 - (top - y) ** 2));
  const points = [x - half, top, x + half].map(rounded);
  return `M${points[0]} ${points[1]}A${radius} ${radius} 0 ${level > 0.5 ? 1 : 0} 0 ${points[2]} ${points[1]}z`;
}

/** The line between a node and the house: as thick as the power, with dots that move in its direction; grey and still without one. */
function flowLine({ kind, inKw }: FlowNode, at: Place, home: Place) {
  const [from, to] = inKw < 0 ? [home, at] : [at, home];
  const ends = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
  const kw = Math.abs(inKw);
  if (kw < IDLE_KW) return <line class="flow-line" {...ends} stroke-width="2" />;
  const width = rounded(2 + (6 * Math.min(kw, THICKEST_KW)) / THICKEST_KW);
  // The way without motion.
  const middle = `${rounded((from.x + to.x) / 2)} ${rounded((from.y + to.y) / 2)}`;
  const degrees = rounded((Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI);
  const speed = kw < 0.5 ? "slow" : kw < 3 ? "steady" : "fast";
  return (
    <g class={`flow-line on ${kind}`}>
      <line {...ends} stroke-width={width} />
      <line class={`dots ${speed}`} {...ends} stroke-width={width + 4} />
      <path class="way" d="M-5 -6L5 0L-5 6z" transform={`translate(${middle}) rotate(${degrees})`} />
    </g>
  );
}

const rounded = (value: number) => Math.round(value * 10) / 10;
