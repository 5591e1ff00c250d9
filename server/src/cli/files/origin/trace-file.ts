import { open } from "node:fs/promises";
import path from "node:path";
import type { paths, RepriseClient } from "reprise-sdk";
import { differences } from "#cli/files/origin/differences";
import type { OriginReply, TracedFile } from "#cli/files/origin/origin-reply";
import { type FileContent, FOLDER_MAX_FILES, type NamedFile } from "#cli/files/origin/read-files";
import { Refusal } from "#plumbing/errors";
import { packedContents } from "#plumbing/zip/packed-contents";

/** An archive that unpacks to more is not read. */
const INSIDE_MAX_BYTES = 64 * 2 ** 30;

/** Asks the server about a file. If no run has the file, asks about the files inside a zip or a gzip. */
export async function traceFile(
  client: RepriseClient,
  { sha256, sketch, ...file }: NamedFile & FileContent,
  onProblem: (sentence: string) => void,
): Promise<TracedFile> {
  const wanted = sketch && {
    name: path.basename(file.name),
    bytes: file.bytes,
    ...(sketch.length > 0 && { chunks: sketch.join() }),
  };
  const reply = await ask(client, { sha256, ...wanted });
  const inside = reply.items.length > 0 ? [] : await traceInside(client, file.name, onProblem);
  const nearest = inside.length > 0 ? [] : await differences(client, file, reply.nearest);
  return { file: file.name, reply, inside, differences: nearest };
}

type Query = paths["/api/origin"]["get"]["parameters"]["query"];

async function ask(client: RepriseClient, query: Query): Promise<OriginReply> {
  return (await client.GET("/api/origin", { params: { query } })).data!;
}

/** Returns the files inside that a run has. Reports an archive that is damaged or hostile, and reads it no further. */
async function traceInside(
  client: RepriseClient,
  name: string,
  onProblem: (sentence: string) => void,
): Promise<TracedFile[]> {
  const found: TracedFile[] = [];
  const handle = await open(name);
  try {
    const limits = { maxFiles: FOLDER_MAX_FILES, maxBytes: INSIDE_MAX_BYTES };
    for await (const content of packedContents(handle, name, limits)) {
      const reply = await ask(client, { sha256: content.sha256 });
      if (reply.items.length > 0) found.push({ file: content.name, reply, inside: [], differences: [] });
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    onProblem(`The files inside ${name} were not read to the end. ${error.message}`);
  } finally {
    await handle.close();
  }
  return found;
}
