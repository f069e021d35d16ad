// Preloaded into a gateway process: monotonic time moves only when the parent process sends it, in ms. A replay
// (`clock.speed`) then runs as fast as the gateway can follow, however busy the machine is.
const startMs = performance.now();
let movedMs = 0;
performance.now = () => startMs + movedMs;
process.on("message", (ms) => {
  movedMs = ms;
});
// Threads of the gateway load this file too; they have no channel.
process.channel?.unref();
