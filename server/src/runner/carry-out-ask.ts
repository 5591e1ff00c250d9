import { createHash } from "node:crypto";
import type { Answer, Ask, Checksum, Listing, Publication } from "#engines/engine";
import { Refusal } from "#plumbing/errors";
import { checksumFile, listFolder, openFileOrRefuse, readBeginning } from "#workspace/ask-files";
import type { Workspaces } from "#workspace/workspaces";

/** Of a folder, in one answer: an event must stay a row of a database. */
const LISTED_MAX_ENTRIES = 10_000;
const READ_MAX_BYTES = 1 << 20;
/** Of one ask to checksum, write or publish. */
const FILES_MAX = 10_000;

export interface AskContext {
  readonly workspaces: Pick<Workspaces, "folder" | "write">;
  readonly workspaceId: string;
}

/**
 * Carries out what an engine asks of the run's files. Asking again after a crash is harmless: reading changes nothing,
 * and writing puts the same files whole in the same places. What cannot be had is an answer too; anything else that
 * goes wrong (a full disk) is thrown, and the ask stays outstanding.
 */
export async function carryOutAsk(context: AskContext, ask: Ask): Promise<Answer> {
  try {
    return await answerTo(context, ask);
  } catch (error) {
    if (error instanceof Refusal && isForEver(error))
      return { kind: "refused", id: ask.id, reason: error.message };
    throw error;
  }
}

function isForEver(refusal: Refusal): boolean {
  return ["absent", "malformed", "too-large"].includes(refusal.kind);
}

async function answerTo(context: AskContext, ask: Ask): Promise<Answer> {
  const folder = context.workspaces.folder(context.workspaceId);
  const { id } = ask;
  switch (ask.do) {
    case "list":
      return { kind: "listed", id, listing: await listing(folder, ask.folder, ask.deep) };
    case "read":
      return {
        kind: "read",
        id,
        ...(await readBeginning(folder, ask.path, Math.min(ask.maxBytes, READ_MAX_BYTES))),
      };
    case "checksum":
      return { kind: "checksummed", id, files: await eachOf(ask.paths, (path) => checksum(folder, path)) };
    case "write":
      await eachOf(ask.files, ({ path, text }) =>
        context.workspaces.write(context.workspaceId, path, bytesOf(Buffer.from(text))),
      );
      return { kind: "written", id };
    case "publish":
      return {
        kind: "published",
        id,
        files: await eachOf(ask.files, (file) => publish(context, folder, file)),
      };
  }
}

/** What lies in the output folder of a job that has ended; nothing when the job never made it. */
export async function maybeListing(folder: string, name: string): Promise<Listing | undefined> {
  try {
    return await listing(folder, name, true);
  } catch (error) {
    if (error instanceof Refusal && isForEver(error)) return undefined;
    throw error;
  }
}

async function listing(folder: string, name: string, isDeep: boolean): Promise<Listing> {
  const { entries, isCut } = await listFolder(folder, { name, isDeep, maxEntries: LISTED_MAX_ENTRIES });
  return { entries: entries.map(({ name: path, kind, bytes }) => ({ path, kind, bytes })), isCut };
}

async function checksum(folder: string, path: string): Promise<Checksum> {
  return { path, ...(await checksumFile(folder, path)) };
}

/** Copied, so that a later job which changes its own file does not change what was published. */
async function publish(context: AskContext, folder: string, { from, to }: Publication): Promise<Checksum> {
  if (from === to) return checksum(folder, from);
  const file = await openFileOrRefuse(folder, from);
  const hash = createHash("sha256");
  const stream = file.stream();
  try {
    const written = await context.workspaces.write(context.workspaceId, to, hashed(stream, hash));
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
