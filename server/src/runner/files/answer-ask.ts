import {
  type Answer,
  ASK_MAX_FILES,
  type Checksum,
  type FileAsk,
  LISTED_MAX_ENTRIES,
  type Listing,
  type Look,
  READ_MAX_BYTES,
} from "#engines/engine";
import { crashPoint } from "#plumbing/crash-points";
import { Refusal } from "#plumbing/errors";
import type { DigestOf } from "#workflow/capabilities";
import type { Algorithm } from "#workflow/job/job";
import type { FolderRequest } from "#workspace/find/list-folder";
import type { RunFiles } from "#workspace/run-files";

const DEFAULT_ALGORITHM: Algorithm = "sha256";

/**
 * Carries out the engine's requests for the run's files. A repetition after a crash is harmless: reading has
 * no effect, and writing puts the same whole files in the same places. A refusal that would repeat is an
 * answer too; any other error (a full disk, an aborted signal) is thrown, and the ask stays outstanding.
 */
export async function answerAsk(files: RunFiles, ask: FileAsk, digestOf: DigestOf): Promise<Answer> {
  try {
    return await answerTo(files, ask, digestOf);
  } catch (error) {
    if (error instanceof Refusal && isForEver(error))
      return { kind: "refused", id: ask.id, reason: error.message };
    throw error;
  }
}

export function isForEver(refusal: Refusal): boolean {
  return ["absent", "malformed", "too-large"].includes(refusal.kind);
}

async function answerTo(files: RunFiles, ask: FileAsk, digestOf: DigestOf): Promise<Answer> {
  const { id } = ask;
  crashPoint("files-asked");
  switch (ask.do) {
    case "list":
      return { kind: "listed", id, listing: await listed(files, requestOf(ask)) };
    case "look":
      return { kind: "looked", id, files: await eachOf(ask.paths, (path) => look(files, path)) };
    case "read":
      return { kind: "read", id, ...(await files.read(ask.path, Math.min(ask.maxBytes, READ_MAX_BYTES))) };
    case "checksum":
      return {
        kind: "checksummed",
        id,
        files: await eachOf(ask.paths, (path) => checksum(files, path, ask.algorithm)),
      };
    case "write":
      await eachOf(ask.files, ({ path, text }) => files.write(path, text));
      crashPoint("literals-written");
      return { kind: "written", id };
    case "stamp":
      return { kind: "stamped", id, ...(await stamped(files, ask, digestOf)) };
    case "publish":
      return { kind: "published", id, files: await published(files, ask) };
  }
}

function requestOf({ folder, deep, after }: Extract<FileAsk, { do: "list" }>): FolderRequest {
  return { name: folder, isDeep: deep, maxEntries: LISTED_MAX_ENTRIES, after };
}

export async function listed(files: RunFiles, request: FolderRequest): Promise<Listing> {
  const { entries, isCut, hasGap } = await files.list(request);
  return {
    entries: entries.map(({ name: path, ...entry }) => ({ path, ...entry })),
    isCut,
    ...(hasGap && { hasGap }),
  };
}

async function look(files: RunFiles, path: string): Promise<Look> {
  return { path, ...(await files.look(path)) };
}

export async function checksum(
  files: RunFiles,
  path: string,
  algorithm: Algorithm = DEFAULT_ALGORITHM,
): Promise<Checksum> {
  return { path, algorithm, ...(await files.digest(path, algorithm)) };
}

async function stamped(files: RunFiles, ask: Extract<FileAsk, { do: "stamp" }>, digestOf: DigestOf) {
  const inputs = await files.maybeInputStamps(ask.inputs, ASK_MAX_FILES);
  const all = ask.isWhole ? await files.maybeStamps(LISTED_MAX_ENTRIES) : undefined;
  const images = ask.images && (await eachOf(ask.images, digestOf));
  return { inputs: inputs ?? null, stamps: all?.stamps ?? null, ...(images && { images }) };
}

async function published(files: RunFiles, ask: Extract<FileAsk, { do: "publish" }>): Promise<Checksum[]> {
  const { algorithm = DEFAULT_ALGORITHM, isSettled = false } = ask;
  const made = await eachOf(ask.files, async (file) => {
    const { path, bytes, digest } = await files.publish({ ...file, algorithm, isSettled });
    return { path, bytes, algorithm, digest };
  });
  crashPoint("outputs-published");
  return made;
}

async function eachOf<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  if (items.length > ASK_MAX_FILES) {
    throw new Refusal(
      "too-large",
      `${items.length} files were asked for at once; at most ${ASK_MAX_FILES} may be.`,
    );
  }
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}
