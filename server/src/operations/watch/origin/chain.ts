import type { Basics } from "#operations/context";
import { type OriginStep, stepsWithIds } from "#operations/watch/origin/origin-steps";
import {
  type Asker,
  filesInRole,
  filesInRun,
  filesOfJobs,
  type FileRow,
  filesWithDigest,
  runsBySeq,
} from "#store/origin/file-rows";
import type { Run } from "#store/runs/runs";

/** A file of the chain. */
export interface ChainFile {
  readonly path: string;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly run: Run;
  /** True if no run that the user may see made the file. */
  readonly isGiven: boolean;
}

/** A step of the chain. Files are named by their places in the list of files. */
export interface ChainStep extends OriginStep {
  readonly reads: readonly number[];
  readonly writes: readonly number[];
}

/** A graph from a file back to the files that no run made. The wanted file is the first one. */
export interface Chain {
  readonly files: readonly ChainFile[];
  readonly steps: readonly ChainStep[];
  /** True if the graph goes on beyond the limits. */
  readonly isCut: boolean;
  /** False if a serial step is part of the graph: such a step does not declare which of the files it read. */
  readonly isDeclared: boolean;
}

/** Limits on the graph of a reply. Each level leads to earlier steps only, so that the depth also ends a cycle. */
const FILES_MAX = 100;
const DEPTH_MAX = 30;

interface Start {
  readonly run: Run;
  readonly file: FileRow;
  readonly writers: readonly FileRow[];
}

interface Place {
  readonly index: number;
  readonly file: FileRow;
  readonly run: Run;
  readonly writers: readonly FileRow[];
}

/** Follows a file back through its steps and their input files. */
export async function chainOf(
  context: Pick<Basics, "db" | "workspaces">,
  asker: Asker,
  start: Start,
): Promise<Chain> {
  const growing = new GrowingChain(context, asker);
  return growing.follow(start);
}

class GrowingChain {
  readonly #context: Pick<Basics, "db" | "workspaces">;
  readonly #asker: Asker;
  readonly #files: ChainFile[] = [];
  readonly #places = new Map<string, number>();
  readonly #steps = new Map<string, { step: OriginStep; reads: number[]; writes: Set<number> }>();
  #isCut = false;
  #isDeclared = true;

  constructor(context: Pick<Basics, "db" | "workspaces">, asker: Asker) {
    this.#context = context;
    this.#asker = asker;
  }

  async follow({ run, file, writers }: Start): Promise<Chain> {
    let level = [this.#add(file, run, writers)!];
    for (let depth = 0; level.length > 0; depth += 1) {
      if (depth === DEPTH_MAX) this.#isCut = true;
      if (this.#isCut) break;
      const next: Place[] = [];
      for (const place of level) next.push(...(await this.#before(place)));
      level = next;
    }
    const steps = Array.from(this.#steps.values(), ({ step, reads, writes }) => {
      return { ...step, reads, writes: [...writes] };
    });
    return { files: this.#files, steps, isCut: this.#isCut, isDeclared: this.#isDeclared };
  }

  /** Adds a file unless it is there. Returns undefined if the file is known or the limit is reached. */
  #add(file: FileRow, run: Run, writers: readonly FileRow[]): Place | undefined {
    if (this.#files.length === FILES_MAX) {
      this.#isCut = true;
      return undefined;
    }
    const { path, bytes, sha256 } = file;
    const index = this.#files.length;
    this.#places.set(keyOf(file), index);
    this.#files.push({ path, bytes, sha256, run, isGiven: writers.length === 0 });
    return { index, file, run, writers };
  }

  /** Adds the steps that wrote a file. Returns the files read by steps that are new to the graph. */
  async #before({ index, run, writers }: Place): Promise<Place[]> {
    const ids = [...new Set(writers.flatMap(({ jobId }) => jobId ?? []))];
    const found: Place[] = [];
    for (const step of await stepsWithIds(this.#context, run, ids)) {
      const known = this.#steps.get(step.job.id);
      if (known) known.writes.add(index);
      else found.push(...(await this.#addStep(step, index)));
    }
    return found;
  }

  async #addStep(step: OriginStep, index: number): Promise<Place[]> {
    const added = { step, reads: [] as number[], writes: new Set([index]) };
    this.#steps.set(step.job.id, added);
    const found: Place[] = [];
    for (const file of await this.#readBy(step)) {
      const known = this.#places.get(keyOf(file));
      if (known !== undefined) {
        added.reads.push(known);
        continue;
      }
      const place = await this.#place(file, step);
      if (!place) break;
      added.reads.push(place.index);
      found.push(place);
    }
    return found;
  }

  /** Returns the files read by a step. A serial step may have read any file that was there before. */
  async #readBy({ run, job }: OriginStep): Promise<FileRow[]> {
    const { db } = this.#context;
    if (run.language !== "serial") {
      const rows = await filesOfJobs(db, run.seq, [job.id]);
      return rows.filter(({ role }) => role === "read");
    }
    this.#isDeclared = false;
    const inputs = await filesInRole(db, run.seq, "input", FILES_MAX);
    const written = await filesInRole(db, run.seq, "written", FILES_MAX);
    const ids = [...new Set(written.flatMap(({ jobId }) => jobId ?? []))];
    const steps = await stepsWithIds(this.#context, run, ids);
    const earlier = new Set(steps.filter((one) => one.job.ordinal < job.ordinal).map((one) => one.job.id));
    return [...inputs, ...written.filter(({ jobId }) => jobId !== null && earlier.has(jobId))];
  }

  /** Finds the writers of a file that a step has read: in the same run, or in an earlier run that the asker may see. */
  async #place(file: FileRow, reader: OriginStep): Promise<Place | undefined> {
    const { db } = this.#context;
    if (file.role === "written") {
      const same = await filesInRole(db, file.runSeq, "written", FILES_MAX);
      return this.#add(
        file,
        reader.run,
        same.filter(({ path }) => path === file.path),
      );
    }
    if (file.sha256 === null) return this.#add(file, reader.run, []);
    const { sha256, path } = file;
    const inRun = (await filesInRun(db, file.runSeq, sha256)).filter(
      (row) => row.role === "written" && row.jobId !== reader.job.id,
    );
    const samePath = inRun.filter((row) => row.path === path);
    if (inRun.length > 0) return this.#add(file, reader.run, samePath.length > 0 ? samePath : inRun);
    const earlier = (await filesWithDigest(db, sha256, this.#asker)).filter(
      ({ role, runSeq }) => role === "written" && runSeq < file.runSeq,
    );
    const [newest] = earlier;
    if (!newest) return this.#add(file, reader.run, []);
    const run = (await runsBySeq(db, [newest.runSeq])).get(newest.runSeq)!;
    return this.#add(
      file,
      run,
      earlier.filter(({ runSeq }) => runSeq === newest.runSeq),
    );
  }
}

function keyOf({ runSeq, path, sha256 }: FileRow): string {
  return `${runSeq} ${sha256} ${path}`;
}
