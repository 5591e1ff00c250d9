import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { codeOf } from "#plumbing/errors";
import type { DepositFile } from "#workflow/run/publication";

/** Keeps a crate in a file until the crate is deposited. A broken upload thus sends the same bytes again. */
export interface KeptCrates {
  /** Writes a crate, completely or not at all. */
  write(runId: string, content: AsyncIterable<Uint8Array>): Promise<Omit<DepositFile, "name">>;
  /** Returns whether a crate of this size is there. */
  has(runId: string, file: Pick<DepositFile, "bytes">): Promise<boolean>;
  read(runId: string): AsyncIterable<Uint8Array>;
  remove(runId: string): Promise<void>;
}

export function openKeptCrates(folder: string): KeptCrates {
  const fileOf = (runId: string) => path.join(folder, `${runId}.zip`);
  return {
    async write(runId, content) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = fileOf(runId);
      const part = `${file}.part`;
      const hash = createHash("md5");
      let bytes = 0;
      async function* noted() {
        for await (const chunk of content) {
          hash.update(chunk);
          bytes += chunk.length;
          yield chunk;
        }
      }
      try {
        await pipeline(noted, createWriteStream(part, { mode: 0o600 }));
        await rename(part, file);
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      }
      return { bytes, md5: hash.digest("hex") };
    },
    async has(runId, { bytes }) {
      const found = await stat(fileOf(runId)).catch((error: unknown) => {
        if (codeOf(error) === "ENOENT") return undefined;
        throw error;
      });
      return found?.size === bytes;
    },
    read: (runId) => createReadStream(fileOf(runId)),
    remove: (runId) => rm(fileOf(runId), { force: true }),
  };
}
