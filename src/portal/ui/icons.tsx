/** Outlines of the pictures of things in a home, on a grid of 24 units. */
const OUTLINES = {
  pv: "M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6l1.4 1.4M17 17l1.4 1.4M5.6 18.4L7 17M17 7l1.4-1.4M8 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
  grid: "M9 3h6M7 8h10M12 3l-5 18M12 3l5 18M9.5 12h5M8 16.5l7.5-4.5M16 16.5L8.5 12",
  home: "M3 11l9-8l9 8M6 9v11h12V9M10 20v-6h4v6",
  battery: "M4 8h14v9H4zM18 11h2.5v3H18M8 10.5v4M12 10.5v4",
  wallbox: "M5 15h14M6 15l1.5-5.5h9L18 15v3.5h-2V17H8v1.5H6zM8 12.5h8",
  boiler: "M12 3c3.5 4.5 5.5 7 5.5 10.5a5.5 5.5 0 0 1-11 0C6.5 10 8.5 7.5 12 3z",
  heat_pump: "M4 5h16v14H4zM8 12a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0M11.5 8.5v7M8 12h7M18 8v8",
  other: "M9 3v5M15 3v5M6.5 8h11v3.5a5.5 5.5 0 0 1-11 0zM12 17v4",
} as const;

export type IconName = keyof typeof OUTLINES;

/** The outline of an icon inside another picture, `size` units wide around a centre. */
export function iconPath(name: IconName, x: number, y: number, size: number) {
  const scale = Math.round((size / 24) * 100) / 100;
  return (
    <path
      class="icon"
      d={OUTLINES[name]}
      transform={`translate(${x - size / 2} ${y - size / 2}) scale(${scale})`}
    />
  );
}

/** An icon beside a text that says the same. */
export function icon(name: IconName) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path class="icon" d={OUTLINES[name]} />
    </svg>
  );
}
