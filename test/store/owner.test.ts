import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkOwner } from "../../src/store/store.js";
import { temporaryFolder } from "./support/folder.js";

it("keeps commands of root from data that another user's gateway has written last", async () => {
  const folder = await temporaryFolder();
  // Before the first start.
  await checkOwner(folder, 0);
  mkdirSync(join(folder, "series"));
  const current = join(folder, "series", "CURRENT");
  writeFileSync(current, "");
  const { uid } = statSync(current);
  const stat = async () => ({ uid: 1234 });
  await expect(checkOwner(folder, 0, stat)).rejects.toThrow(
    /belong to user 1234.*run the command as that user/,
  );
  await checkOwner(folder, 1234, stat);
  await checkOwner(folder, uid);
});
