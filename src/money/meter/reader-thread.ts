/** The thread that reads one uploaded meter file: a year as XLSX takes more than a second of processor time. */
import { parentPort } from "node:worker_threads";
import type { MeterReading, ReadTask } from "./file-reader.js";
import { readUploadedFile } from "./read-uploaded.js";

parentPort?.once("message", async (task: ReadTask) => {
  const reading: MeterReading = await readUploadedFile(task);
  parentPort?.postMessage(reading);
});
