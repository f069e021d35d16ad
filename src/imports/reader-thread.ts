/** The thread that reads one uploaded meter file: a year as XLSX takes more than a second of processor time. */
import { parentPort } from "node:worker_threads";
import type { FileReading, ReadTask } from "./file-reader.js";
import { readUploadedFile } from "./read-uploaded.js";

parentPort?.once("message", async (task: ReadTask) => {
  const reading: FileReading = await readUploadedFile(task);
  parentPort?.postMessage(reading);
});
