import type { Readable } from "node:stream";
import { Refusal } from "#plumbing/errors";
import { hasMagic } from "#plumbing/text/glob";
import { checkArchive, zipStream } from "#workspace/read/archive";
import type { OpenFile } from "#workspace/read/open-file";
import { maybeOpenLinked } from "#workspace/read/open-linked";
import { filesBelow, matchedFiles } from "#workspace/find/selection";

export type Found =
  | { readonly kind: "file"; readonly file: OpenFile }
  /** A stream that is requested must be read or destroyed. */
  | { readonly kind: "archive"; stream(): Readable };

/** Opens one file, which must be read or closed, or an archive of a folder or of the matches of a glob. */
export async function findFiles(folder: string, wanted: string): Promise<Found> {
  const opened = await maybeOpenLinked(folder, wanted);
  if (opened?.kind === "file") return opened;
  if (!opened && !hasMagic(wanted)) throw absent(wanted);
  const selection = opened ? filesBelow(opened.path) : matchedFiles(wanted);
  const { count, first } = await checkArchive(folder, selection);
  if (first === undefined) throw absent(wanted);
  if (!opened && count === 1) {
    const only = await maybeOpenLinked(folder, first);
    if (only?.kind === "file") return only;
  }
  return { kind: "archive", stream: () => zipStream(folder, selection) };
}

function absent(name: string): Refusal {
  return new Refusal("absent", `${name} does not exist.`);
}
