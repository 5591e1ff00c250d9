import { mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { DAY_MS, type Clock } from "#plumbing/clock";
import { codeOf, Refusal } from "#plumbing/errors";
import { modeOf } from "#plumbing/files/file-mode";
import { derivedUuid } from "#plumbing/ids";
import { parseJson } from "#plumbing/formats/json";
import { syncFolder } from "#plumbing/files/sync-folder";
import { sha256Of } from "#workspace/read/file-checksum";
import { appendPart } from "#workspace/write/append-part";
import { claimUpload } from "#workspace/write/upload-claim";

/**
 * Uploads in parts. Each upload has a folder outside the workspaces: `session.json` describes the file, and
 * `part` holds the received bytes; its length is the upload's offset. A complete file with the right checksum
 * is moved to its place by one rename. A client that begins the same upload again (same run, name, size and
 * checksum) resumes it, also from another process, because the id is derived from these values.
 */
export interface Uploads {
  begin(wanted: UploadWanted): Promise<UploadState>;
  look(runId: string, id: string): Promise<UploadState>;
  /**
   * Appends the bytes from this offset and skips bytes already received. A new part ends the previous part.
   */
  append(
    runId: string,
    id: string,
    part: { readonly offset: number; readonly content: Readable },
  ): Promise<UploadState>;
  /** Checks the whole file and passes it to `publish` once. Returns the last state. */
  complete(runId: string, id: string, publish: Publish): Promise<UploadState>;
  /** Deletes the upload. Safe to call twice. */
  abandon(runId: string, id: string): Promise<void>;
  /** Deletes uploads without new bytes for 24 hours. */
  forgetOld(): Promise<void>;
}

export interface UploadWanted {
  readonly runId: string;
  /** Clean path inside the workspace. */
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 of the whole file, in hexadecimal digits. */
  readonly sha256: string;
  readonly isExecutable: boolean;
}

export interface UploadState extends UploadWanted {
  readonly id: string;
  /** Number of bytes received. */
  readonly offset: number;
  readonly expiresAtMs: number;
}

/** Moves the file to its place, by rename. */
export type Publish = (file: string, state: UploadState) => Promise<void>;

interface Session extends UploadWanted {
  readonly state: "open" | "publishing" | "done";
}

/** Retention of an upload after its last byte arrived. */
const KEPT_MS = DAY_MS;
/** Limit for all users together: each upload has a folder and the bytes that have arrived. */
const SESSIONS_MAX = 10_000;

interface UploadsOptions {
  /** A folder on the file system of the workspaces. */
  readonly folder: string;
  readonly clock: Clock;
  readonly fsync: boolean;
  /** Identifies the server. Set if other servers use the folder as well. */
  readonly hostId?: string | undefined;
}

export function openUploads(options: UploadsOptions): Uploads {
  const writers = new Map<string, Writer>();
  const places = (id: string) => placesOf(options.folder, id);
  const look = (runId: string, id: string) => stateOf(places(id), runId, id);
  return {
    begin: (wanted) => begin(options, wanted),
    look,
    async append(runId, id, { offset, content }) {
      await replaceWriter(writers, id, content, async () => {
        await look(runId, id);
        await claimed(options, id, async () => {
          const state = await look(runId, id);
          await appendPart(places(id).part, state, { offset, content, fsync: options.fsync });
        });
      });
      return look(runId, id);
    },
    complete: (runId, id, publish) =>
      afterWriter(writers, id, async () => {
        await look(runId, id);
        return claimed(options, id, () => complete(options, { runId, id }, publish));
      }),
    async abandon(runId, id) {
      await look(runId, id);
      await rm(places(id).folder, { recursive: true, force: true });
    },
    forgetOld: () => forgetOld(options),
  };
}

/** Runs the work while no other server of the folder has the file of the bytes. */
async function claimed<Result>(
  { folder, hostId, clock }: UploadsOptions,
  id: string,
  work: () => Promise<Result>,
): Promise<Result> {
  if (hostId === undefined) return work();
  const endClaim = await claimUpload({ ...placesOf(folder, id), hostId, clock });
  try {
    return await work();
  } finally {
    await endClaim();
  }
}

function placesOf(root: string, id: string) {
  const folder = path.join(root, id);
  return { folder, session: path.join(folder, "session.json"), part: path.join(folder, "part") };
}
type Places = ReturnType<typeof placesOf>;

async function begin(options: UploadsOptions, wanted: UploadWanted): Promise<UploadState> {
  await forgetOld(options);
  if ((await readdir(options.folder)).length >= SESSIONS_MAX) {
    throw new Refusal("unavailable", "Too many uploads are unfinished on this server. Try again later.");
  }
  const id = idOf(wanted);
  const places = placesOf(options.folder, id);
  const before = await maybeSession(places);
  if (before?.state === "done") await rm(places.folder, { recursive: true, force: true });
  if (before === undefined || before.state === "done") {
    await mkdir(places.folder, { recursive: true, mode: 0o700 });
    await writeFile(places.part, "", { flag: "a", mode: modeOf(wanted.isExecutable) });
    await writeSession(options, places, { ...wanted, state: "open" });
  }
  return stateOf(places, wanted.runId, id);
}

/** Derives the id. It includes the execute bit, because the same bytes with another mode make another file. */
function idOf({ runId, name, bytes, sha256, isExecutable }: UploadWanted): string {
  return derivedUuid("upload", runId, name, bytes, sha256, ...(isExecutable ? ["executable"] : []));
}

/** Writes by rename, so that the session file is complete or missing. */
async function writeSession({ fsync }: UploadsOptions, places: Places, session: Session): Promise<void> {
  const fresh = `${places.session}.new`;
  await writeFile(fresh, JSON.stringify(session), { flush: fsync });
  await rename(fresh, places.session);
  if (fsync) await syncFolder(places.folder);
}

async function maybeSession(places: Places): Promise<Session | undefined> {
  try {
    return parseJson(await readFile(places.session, "utf8"), "The session of an upload") as Session;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

async function oneSession(places: Places, runId: string, id: string): Promise<Session> {
  const session = await maybeSession(places);
  if (session?.runId === runId) return session;
  throw new Refusal(
    "absent",
    `There is no upload ${id} of this workflow, or it has expired. Start it again.`,
  );
}

async function stateOf(places: Places, runId: string, id: string): Promise<UploadState> {
  const { state, ...wanted } = await oneSession(places, runId, id);
  const part = state === "open" ? await stat(places.part) : undefined;
  const since = part ?? (await stat(places.session));
  return { ...wanted, id, offset: part?.size ?? wanted.bytes, expiresAtMs: since.mtimeMs + KEPT_MS };
}

/** Completes an upload. If a server died between the two marks, `part` is gone: then it was published. */
async function complete(
  options: UploadsOptions,
  { runId, id }: { readonly runId: string; readonly id: string },
  publish: Publish,
): Promise<UploadState> {
  const places = placesOf(options.folder, id);
  const session = await oneSession(places, runId, id);
  const state = await stateOf(places, runId, id);
  if (session.state === "open") {
    await checkWhole(places, state);
    await writeSession(options, places, { ...session, state: "publishing" });
  }
  if (session.state !== "done") {
    if (await isThere(places.part))
      await publishOrReopen(options, places, session, () => publish(places.part, state));
    await writeSession(options, places, { ...session, state: "done" });
  }
  return state;
}

/** Publishes the file, and reopens the upload on failure: the user may remove the obstacle, and the bytes are kept. */
async function publishOrReopen(
  options: UploadsOptions,
  places: Places,
  session: Session,
  publish: () => Promise<void>,
): Promise<void> {
  try {
    await publish();
  } catch (error) {
    if (await isThere(places.part)) await writeSession(options, places, { ...session, state: "open" });
    throw error;
  }
}

async function checkWhole({ part }: Places, { name, bytes, offset, sha256 }: UploadState): Promise<void> {
  if (offset !== bytes) {
    throw new Refusal(
      "conflict",
      `${name} is incomplete: ${offset} of ${bytes} bytes have arrived. Send the rest first.`,
      { errorCode: "upload-incomplete" },
    );
  }
  if ((await sha256Of(part)) === sha256) return;
  await truncate(part, 0);
  throw new Refusal(
    "conflict",
    `The upload of ${name} does not have the announced checksum: the file was changed during the upload. ` +
      "Nothing was kept; start again.",
    { errorCode: "checksum-mismatch" },
  );
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

async function forgetOld({ folder, clock }: UploadsOptions): Promise<void> {
  for (const id of await readdir(folder)) {
    const places = placesOf(folder, id);
    const times = await Promise.all([places.part, places.session, places.folder].map(timeOf));
    if (Math.max(...times) < clock.now() - KEPT_MS) await rm(places.folder, { recursive: true, force: true });
  }
}

async function timeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return 0;
    throw error;
  }
}

interface Writer {
  readonly content: Readable;
  readonly ended: Promise<unknown>;
}

/**
 * Allows one part at a time. A client that sends a part has given up the previous part, although the previous
 * connection may look alive for a long time. The previous part is ended first.
 */
async function replaceWriter(
  writers: Map<string, Writer>,
  id: string,
  content: Readable,
  work: () => Promise<void>,
): Promise<void> {
  // The writing code gets the error too. Before it listens, an error without a listener would end the process.
  content.on("error", () => undefined);
  for (let before = writers.get(id); before; before = writers.get(id)) {
    before.content.destroy(new Error("A later part came."));
    await before.ended;
  }
  const writing = work();
  const writer = { content, ended: settled(writing) };
  writers.set(id, writer);
  try {
    await writing;
  } finally {
    if (writers.get(id) === writer) writers.delete(id);
  }
}

/** Runs the work after the current writer, and alone: no other call checks or publishes the file at the same time. */
async function afterWriter<Result>(
  writers: Map<string, Writer>,
  id: string,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let before = writers.get(id); before; before = writers.get(id)) await before.ended;
  const working = work();
  const writer = { content: NOTHING, ended: settled(working) };
  writers.set(id, writer);
  try {
    return await working;
  } finally {
    if (writers.get(id) === writer) writers.delete(id);
  }
}

const NOTHING = { destroy: () => undefined } as unknown as Readable;

function settled(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    () => undefined,
  );
}
