import {
  expectedText,
  type LateFile,
  type MadeFile,
  maybeLateFile,
  maybeMadeFiles,
} from "#backends/record/made-files";
import type { Records } from "#backends/record/records";
import type { Clock } from "#plumbing/clock";
import type { JobRequest } from "#backends/backend";
import { printable } from "#plumbing/text/printable";

interface LateFilesOptions {
  readonly records: Records;
  readonly clock: Clock;
  /** How long the files of an ended job may stay invisible. */
  readonly visibleMs: number;
  /** Called with what an ended job waits for. */
  readonly onWait: (request: JobRequest, sentence: string) => void;
  /** Called once the verdict about the files of an ended job is recorded. */
  readonly onVerdict: (request: JobRequest) => void;
  readonly onFailure: (error: unknown) => void;
}

const FIRST_PAUSE_MS = 20;
const LAST_PAUSE_MS = 500;
/** Shorter waits are not worth a sentence. */
const SILENT_MS = 1000;
/** Maximum number of awaited files of one workspace. */
const EXPECTED_MAX = 1000;
const EXPECTED_MAX_BYTES = 8 * 2 ** 20;

/**
 * Waits after the end of a job until this machine sees the files that the job made. A disk that several machines share
 * shows new names, and the size of a file, with a delay.
 */
export class LateFiles {
  readonly #options: LateFilesOptions;
  readonly #awaited = new Set<string>();
  /** Newest files of each workspace, with the time of the look. */
  readonly #recent = new Map<string, Map<string, { readonly file: MadeFile; readonly atMs: number }>>();
  #isClosed = false;

  constructor(options: LateFilesOptions) {
    this.#options = options;
  }

  /** Waits for the files of an ended job, and records the verdict about them. */
  await(request: JobRequest): void {
    const { id } = request;
    if (this.#awaited.has(id)) return;
    this.#awaited.add(id);
    void this.#wait(request)
      .catch((error: unknown) => this.#options.onFailure(error))
      .finally(() => this.#awaited.delete(id));
  }

  /** Returns the lines about files of a workspace that another machine may not see yet. */
  expectedIn(workspaceFolder: string): string {
    const recent = this.#recent.get(workspaceFolder);
    if (!recent) return "";
    const fromMs = this.#options.clock.elapsedMs() - this.#options.visibleMs;
    for (const [path, { atMs }] of recent) if (atMs < fromMs) recent.delete(path);
    if (recent.size === 0) this.#recent.delete(workspaceFolder);
    return expectedText([...recent.values()].slice(-EXPECTED_MAX).map(({ file }) => file));
  }

  /**
   * Answers a supervisor whose node does not see a file of an earlier job. If this machine does not see the files as they
   * were either, somebody has changed them since, and the supervisor need not wait. Otherwise returns a sentence.
   */
  async answer(
    { id, workspaceFolder }: JobRequest,
    awaits: string,
    node: string,
  ): Promise<string | undefined> {
    const { files } = this.#options.records;
    const expected = maybeMadeFiles(`${files.maybeText(id, "expected", EXPECTED_MAX_BYTES) ?? ""}.\n`) ?? [];
    if (!(await maybeLateFile(workspaceFolder, expected))) return awaitsSentence(awaits, node);
    if (!this.#isClosed && files.has(id, "awaits")) files.writeOnce(id, "unawaited", "");
    return undefined;
  }

  close(): void {
    this.#isClosed = true;
  }

  async #wait(request: JobRequest): Promise<void> {
    const { records, clock, visibleMs, onWait, onVerdict } = this.#options;
    const { id } = request;
    const sinceMs = clock.elapsedMs();
    const readFiles = new Set<string>();
    for (let pauseMs = FIRST_PAUSE_MS; !this.#isClosed; pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS)) {
      const sentence = await this.#lateSentence(request, readFiles);
      const waitedMs = clock.elapsedMs() - sinceMs;
      const seconds = Math.floor(waitedMs / 1000);
      if (sentence === undefined) records.settle(id);
      else if (waitedMs >= visibleMs) records.refuse(id, `${sentence}, ${seconds} s).`);
      else {
        if (waitedMs >= SILENT_MS) onWait(request, `${sentence}, ${seconds} s)`);
        await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
        continue;
      }
      return onVerdict(request);
    }
  }

  /** Returns what is not visible, as an unfinished sentence. Undefined if all files are there. */
  async #lateSentence(
    { id, workspaceFolder }: JobRequest,
    readFiles: Set<string>,
  ): Promise<string | undefined> {
    const text = this.#options.records.madeText(id);
    const files = text === undefined ? undefined : maybeMadeFiles(text);
    if (!files)
      return "The list of the files that the job made is not yet visible on this server (incomplete";
    const late = await maybeLateFile(workspaceFolder, files, readFiles);
    if (late) return lateSentence(late);
    this.#remember(workspaceFolder, files);
    return undefined;
  }

  #remember(workspaceFolder: string, files: readonly MadeFile[]): void {
    const atMs = this.#options.clock.elapsedMs();
    const recent = this.#recent.get(workspaceFolder) ?? new Map();
    this.#recent.set(workspaceFolder, recent);
    for (const file of files) {
      // The newest entry is the last one.
      recent.delete(file.path);
      recent.set(file.path, { file, atMs });
    }
  }
}

function awaitsSentence(awaits: string, node: string): string {
  const [, seen, bytes, path] = /^(\d+|-) (\d+) \.\/(.*)$/m.exec(awaits) ?? [];
  const what = path === undefined ? "a file of an earlier job" : printable(path, 200);
  const how = seen === undefined ? "" : ` (${seenOf(seen, bytes!)} bytes)`;
  return `The node ${node} of the job does not see ${what} yet${how}.`;
}

function seenOf(seen: string, bytes: string): string {
  if (seen === "-") return `no ${bytes}`;
  return seen === bytes ? `an older version of ${bytes}` : `${seen} of ${bytes}`;
}

function lateSentence({ path, seenBytes, bytes }: LateFile): string {
  const seen = seenOf(String(seenBytes ?? "-"), String(bytes));
  return `${printable(path, 200)} is not yet visible on this server (${seen} bytes`;
}
