import { createHash } from "node:crypto";
import type { Answer, Ask, Checksum, Listing, Publication } from "#engines/engine";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import type { Workspaces } from "#workspace/workspaces";

/** Limit on the entries of one listing: an event must still fit into a database row. */
export const LISTED_MAX_ENTRIES = 10_000;
const READ_MAX_BYTES = 1 << 20;
/** Limit on the files of one ask to checksum, write or publish. */
const FILES_MAX = 10_000;

export interface AskContext {
  readonly workspaces: AskFiles;
  readonly workspaceId: string;
}

/** The part of the workspaces that is needed to answer what a run asks. */
export type AskFiles = Pick<
  Workspaces,
  "writeForRun" | "listFolder" | "readBeginning" | "checksum" | "open" | "maybeStamps" | "maybeInputStamps"
>;

/**
 * Carries out what an engine asks of the run's files. Asking again after a crash is harmless: reading changes nothing,
 * and writing puts the same whole files in the same places. A refusal that would repeat is an answer too; any other
 * error (a full disk) is thrown, and the ask stays outstanding.
 */
export async function answerAsk(context: AskContext, ask: Ask): Promise<Answer> {
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
  const { workspaces, workspaceId } = context;
  const { id } = ask;
  crashPoint("files-asked");
  switch (ask.do) {
    case "list":
      return { kind: "listed", id, listing: await listing(context, ask.folder, ask.deep) };
    case "read":
      return {
        kind: "read",
        id,
        ...(await workspaces.readBeginning(workspaceId, ask.path, Math.min(ask.maxBytes, READ_MAX_BYTES))),
      };
    case "checksum":
      return { kind: "checksummed", id, files: await eachOf(ask.paths, (path) => checksum(context, path)) };
    case "write":
      await eachOf(ask.files, ({ path, text }) =>
        workspaces.writeForRun(workspaceId, path, bytesOf(Buffer.from(text))),
      );
      crashPoint("literals-written");
      return { kind: "written", id };
    case "stamp":
      return { kind: "stamped", id, ...(await stamped(context, ask)) };
    case "publish": {
      const files = await eachOf(ask.files, (file) => publish(context, file));
      crashPoint("outputs-published");
      return { kind: "published", id, files };
    }
  }
}

async function stamped({ workspaces, workspaceId }: AskContext, ask: Extract<Ask, { do: "stamp" }>) {
  const inputs = await workspaces.maybeInputStamps(workspaceId, ask.inputs, FILES_MAX);
  const files = ask.isWhole ? await workspaces.maybeStamps(workspaceId, LISTED_MAX_ENTRIES) : undefined;
  return { inputs: inputs ?? null, stamps: files?.stamps ?? null };
}

/** Lists the output folder of a job that has ended. Returns undefined if the job never made it. */
export async function maybeListing(context: AskContext, name: string): Promise<Listing | undefined> {
  try {
    return await listing(context, name, true);
  } catch (error) {
    if (error instanceof Refusal && isForEver(error)) return undefined;
    throw error;
  }
}

async function listing(context: AskContext, name: string, isDeep: boolean): Promise<Listing> {
  const { workspaces, workspaceId } = context;
  const request = { name, isDeep, maxEntries: LISTED_MAX_ENTRIES };
  const { entries, isCut } = await workspaces.listFolder(workspaceId, request);
  return { entries: entries.map(({ name: path, kind, bytes }) => ({ path, kind, bytes })), isCut };
}

async function checksum({ workspaces, workspaceId }: AskContext, path: string): Promise<Checksum> {
  return { path, ...(await workspaces.checksum(workspaceId, path)) };
}

/** Copies the file, so that a later job that changes its own file does not change what was published. */
async function publish(context: AskContext, { from, to }: Publication): Promise<Checksum> {
  if (from === to) return checksum(context, from);
  const file = await context.workspaces.open(context.workspaceId, from);
  const hash = createHash("sha256");
  const stream = file.stream();
  try {
    const written = await context.workspaces.writeForRun(context.workspaceId, to, hashed(stream, hash));
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
