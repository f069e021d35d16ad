import type { Terminal } from "./command.js";

const WIDTH = 30;

/** A progress bar on the last line of the screen, for `onProgress`; does nothing where nobody watches. */
export function progressBar(terminal: Terminal, label: string): (done: number, total: number) => void {
  let shown = -1;
  return (done, total) => {
    const percent = Math.floor((100 * done) / total);
    if (percent === shown) return;
    shown = percent;
    const filled = Math.round((WIDTH * done) / total);
    const bar = `${"#".repeat(filled)}${"-".repeat(WIDTH - filled)}`;
    terminal.status?.(done < total ? `${label} [${bar}] ${percent} %` : "");
  };
}
