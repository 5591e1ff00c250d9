import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { zip } from "#plumbing/zip/zip-writer";

/** Returns a zip of the given files, for tests. */
export function zipOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const entries = Object.entries(files).map(([name, content]) => {
    const bytes = Buffer.from(content);
    return { name, modifiedAtMs: 0, mode: 0o644, bytes: bytes.length, content: Readable.from([bytes]) };
  });
  return buffer(Readable.from(zip(Readable.from(entries))));
}
