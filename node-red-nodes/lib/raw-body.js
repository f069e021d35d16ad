"use strict";

const MOST_BYTES = 1_048_576;

/** The body as it came, or undefined when it is over 1 MiB. Rejects when the sender goes away. */
function readRawBody(request) {
  return new Promise((resolve, reject) => {
    const chunks = [];
    let bytes = 0;
    request.on("data", (chunk) => {
      bytes += chunk.length;
      if (bytes <= MOST_BYTES) chunks.push(chunk);
    });
    request.on("end", () => resolve(bytes > MOST_BYTES ? undefined : Buffer.concat(chunks)));
    request.on("error", reject);
    request.on("aborted", () => reject(new Error("The sender went away.")));
  });
}

module.exports = { readRawBody };
