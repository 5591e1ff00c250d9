import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { CommandError } from "#cli/failure";
import { isUnfollowedLink, openTarget } from "#cli/files/leaving-links";
import type { Transfer } from "#cli/terminal/progress-line";
import { maybeMark } from "#cli/run/analysis/collect-inputs";
import type { Display } from "#cli/run/display/display";
import { maybeStat } from "#cli/run/analysis/find-specification";
import type { RunService, WorkspaceFile } from "#cli/run/service/run-service";
import { isDiskFull, messageOf } from "#plumbing/errors";
import { closing } from "#plumbing/files/open-folder";
import { inPlainWords, type InsidePlace } from "#plumbing/files/walk-inside";
import { whyOutside } from "#plumbing/files/relative-path";

/** The folder for outputs. */
export interface OutputTarget {
  /** The folder that outputs must not leave through a link. */
  readonly root: string;
  /** The folder for the outputs, from there: `""`, or `failed/fit.1`. */
  readonly below: string;
}

export interface CopyRequest {
  readonly service: Pick<RunService, "list" | "fetch">;
  readonly run: { readonly id: string; readonly name: string };
  /** Outputs that the specification declares: files, folders and patterns. */
  readonly outputs: readonly string[];
  readonly target: OutputTarget;
  readonly followLinks?: boolean;
  /** Marks of the copied inputs in the target folder, by name. */
  readonly inputMarks: ReadonlyMap<string, string>;
  readonly transfer: Display["transfer"];
}

export interface CopiedOutputs {
  readonly folder: string;
  readonly files: readonly CopiedFile[];
  /** Declared outputs that the run did not produce, and links that the workspace does not follow. */
  readonly absent: readonly string[];
  /** The unfollowed links in `absent`. */
  readonly links: readonly string[];
}

export interface CopiedFile extends WorkspaceFile {
  readonly file: string;
  /** True if it was saved under another name, because the input in its place was changed during the run. */
  readonly isRenamed: boolean;
}

/**
 * Copies back the declared outputs of a run that has ended, each complete or not at all. Existing files are replaced,
 * except inputs that have changed.
 */
export async function copyOutputs(copying: CopyRequest): Promise<CopiedOutputs> {
  const wanted = new Map<string, WorkspaceFile>();
  const absent: string[] = [];
  for (const pattern of copying.outputs) {
    // The specification's author may not be trusted.
    const found =
      whyOutside(pattern) === undefined ? await copying.service.list(copying.run.id, pattern) : [];
    if (found.length === 0) absent.push(pattern);
    for (const file of found) wanted.set(file.name, file);
  }
  const { files, links } = await copyAll(copying, [...wanted.values()]);
  const { root, below } = copying.target;
  return { folder: path.join(root, below), files, absent: [...absent, ...links], links };
}

async function copyAll(
  copying: CopyRequest,
  wanted: readonly WorkspaceFile[],
): Promise<Pick<CopiedOutputs, "files" | "links">> {
  const bytes = wanted.reduce((sum, file) => sum + file.bytes, 0);
  const progress = copying.transfer({ verb: "Copied", noun: "outputs", files: wanted.length, bytes });
  const files: CopiedFile[] = [];
  const links: string[] = [];
  try {
    for (const file of wanted) {
      const copied = await copyOne(copying, file, progress);
      if (copied) files.push(copied);
      else links.push(file.name);
      progress.file();
    }
    return { files, links };
  } finally {
    progress.end();
  }
}

/** Returns undefined for a link that the workspace does not follow. */
async function copyOne(
  copying: CopyRequest,
  wanted: WorkspaceFile,
  progress: Transfer,
): Promise<CopiedFile | undefined> {
  const { run } = copying;
  const { root, below } = copying.target;
  const target = path.join(root, below, wanted.name);
  try {
    const place = await openTarget(root, below === "" ? wanted.name : `${below}/${wanted.name}`, copying);
    return await closing(place.parent, () =>
      fetchOne(copying, wanted, { place, target, onBytes: progress.bytes }),
    );
  } catch (error) {
    if (isUnfollowedLink(error)) return undefined;
    const reason = isDiskFull(error) ? "the disk is full" : messageOf(error).replace(/\.$/, "");
    throw new CommandError(
      `${wanted.name} could not be copied to ${target}: ${reason}. It is still in the workspace of ${run.name}.`,
      { cause: error },
    );
  }
}

interface CopyTarget {
  readonly place: InsidePlace;
  /** The path of the place as the person knows it. */
  readonly target: string;
  onBytes(count: number): void;
}

async function fetchOne(
  { service, run, inputMarks }: CopyRequest,
  { name }: WorkspaceFile,
  { place: { parent, name: lastName }, target, onBytes }: CopyTarget,
): Promise<CopiedFile> {
  // Files are copied one at a time, so the run's id is enough to name the temporary file.
  const partFile = parent.at(`.${run.id}.part`).toString();
  const there = parent.at(lastName).toString();
  try {
    await rm(partFile, { force: true });
    await service.fetch(run.id, name, partFile, onBytes);
    // A listing has the size of a link itself.
    const bytes = (await maybeStat(partFile))!.size;
    const mark = inputMarks.get(name);
    if (mark !== undefined && (await isSame(partFile, there))) {
      await rm(partFile);
      return { name, bytes, file: target, isRenamed: false };
    }
    const isRenamed = mark !== undefined && (await maybeMark(there)) !== mark;
    const file = isRenamed ? renamedPath(target, run.name) : target;
    await rename(partFile, parent.at(path.basename(file)));
    return { name, bytes, file, isRenamed };
  } catch (error) {
    await rm(partFile, { force: true });
    throw await inPlainWords(error, parent);
  }
}

/** Returns whether two files are equal: an input that the run did not change is left alone. */
async function isSame(one: string, other: string): Promise<boolean> {
  const [there, here] = [await maybeStat(one), await maybeStat(other)];
  if (!here?.isFile() || here.size !== there?.size) return false;
  return (await sha256Of(one)) === (await sha256Of(other));
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** Turns `data/model.txt` into `data/model.hello.3.txt`. */
function renamedPath(target: string, runName: string): string {
  const { dir, name, ext } = path.parse(target);
  return path.join(dir, `${name}.${runName}${ext}`);
}
