import { createHash } from "node:crypto";
import type { Answer, Ask, Checksum, Listing, Publication } from "#engines/engine";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import type { Workspace } from "#workspace/workspace";

/** Limit on the entries of one listing: an event must still fit into a database row. */
export const LISTED_MAX_ENTRIES = 10_000;
const READ_MAX_BYTES = 1 << 20;
/** Limit on the files of one ask to checksum, write or publish. */
const FILES_MAX = 10_000;

/** The part of a workspace that is needed to answer what its run asks. */
export type AskFiles = Pick<
  Workspace,
  "writeForRun" | "listFolder" | "readBeginning" | "checksum" | "open" | "maybeStamps" | "maybeInputStamps"
>;

/**
 * Carries out what an engine asks of the run's files. Asking again after a crash is harmless: reading changes nothing,
 * and writing puts the same whole files in the same places. A refusal that would repeat is an answer too; any other
 * error (a full disk) is thrown, and the ask stays outstanding.
 */
export async function answerAsk(files: AskFiles, ask: Ask): Promise<Answer> {
  try {
    return await answerTo(files, ask);
  } catch (error) {
    if (error instanceof Refusal && isForEver(error))
      return { kind: "refused", id: ask.id, reason: error.message };
    throw error;
  }
}

function isForEver(refusal: Refusal): boolean {
  return ["absent", "malformed", "too-large"].includes(refusal.kind);
}

async function answerTo(workspace: AskFiles, ask: Ask): Promise<Answer> {
  const { id } = ask;
  crashPoint("files-asked");
  switch (ask.do) {
    case "list":
      return { kind: "listed", id, listing: await listing(workspace, ask.folder, ask.deep) };
    case "read":
      return {
        kind: "read",
        id,
        ...(await workspace.readBeginning(ask.path, Math.min(ask.maxBytes, READ_MAX_BYTES))),
      };
    case "checksum":
      return { kind: "checksummed", id, files: await eachOf(ask.paths, (path) => checksum(workspace, path)) };
    case "write":
      await eachOf(ask.files, ({ path, text }) => workspace.writeForRun(path, bytesOf(Buffer.from(text))));
      crashPoint("literals-written");
      return { kind: "written", id };
    case "stamp":
      return { kind: "stamped", id, ...(await stamped(workspace, ask)) };
    case "publish": {
      const files = await eachOf(ask.files, (file) => publish(workspace, file));
      crashPoint("outputs-published");
      return { kind: "published", id, files };
    }
  }
}

async function stamped(workspace: AskFiles, ask: Extract<Ask, { do: "stamp" }>) {
  const inputs = await workspace.maybeInputStamps(ask.inputs, FILES_MAX);
  const files = ask.isWhole ? await workspace.maybeStamps(LISTED_MAX_ENTRIES) : undefined;
  return { inputs: inputs ?? null, stamps: files?.stamps ?? null };
}

/** Lists the output folder of a job that has ended. Returns undefined if the job never made it. */
export async function maybeListing(workspace: AskFiles, name: string): Promise<Listing | undefined> {
  try {
    return await listing(workspace, name, true);
  } catch (error) {
    if (error instanceof Refusal && isForEver(error)) return undefined;
    throw error;
  }
}

async function listing(workspace: AskFiles, name: string, isDeep: boolean): Promise<Listing> {
  const request = { name, isDeep, maxEntries: LISTED_MAX_ENTRIES };
  const { entries, isCut } = await workspace.listFolder(request);
  return { entries: entries.map(({ name: path, kind, bytes }) => ({ path, kind, bytes })), isCut };
}

async function checksum(workspace: AskFiles, path: string): Promise<Checksum> {
  return { path, ...(await workspace.checksum(path)) };
}

/** Copies the file, so that a later job that changes its own file does not change what was published. */
async function publish(workspace: AskFiles, { from, to }: Publication): Promise<Checksum> {
  if (from === to) return checksum(workspace, from);
  const file = await workspace.open(from);
  const hash = createHash("sha256");
  const stream = file.stream();
  try {
    const written = await workspace.writeForRun(to, hashed(stream, hash));
    return { path: written.path, bytes: written.bytes, sha256: hash.digest("hex") };
  } finally {
    stream.destroy();
  }
}

async function* hashed(
  source: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
): AsyncIterable<Buffer> {
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
}

async function* bytesOf(content: Buffer): AsyncIterable<Buffer> {
  yield content;
}

async function eachOf<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  if (items.length > FILES_MAX) {
    throw new Refusal(
      "too-large",
      `${items.length} files were asked for at once; at most ${FILES_MAX} may be.`,
    );
  }
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
