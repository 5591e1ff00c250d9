import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { tryWorldsIn } from "../simulation/many-worlds.ts";
import type { WorldsReport } from "../simulation/run-worlds.ts";

/** A broken runner: the sound one with one piece of text replaced in one file. */
export interface Mutant {
  readonly name: string;
  /** Path below `server/src`. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly caughtBy: readonly ("scenarios" | "worlds")[];
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: "applies before it records",
    file: "runner/run-driver.ts",
    from: "    try {\n      await this.#writer.record({ firstSeq,",
    to: "    await this.#carryOut(progress, events, placed);\n    try {\n      await this.#writer.record({ firstSeq,",
    caughtBy: ["scenarios", "worlds"],
  },
  {
    name: "forgets the fencing token",
    file: "store/leases.ts",
    from: "if (rows.length !== 1) throw new LeaseLostError(workflowId);",
    to: "void rows;",
    caughtBy: ["worlds"],
  },
  {
    name: "submits under another id each time",
    file: "runner/run-jobs.ts",
    from: "const id = jobIdOf(workflow.id, job.key, attemptOf(job));",
    to: "const id = jobIdOf(workflow.id, job.key, performance.now());",
    caughtBy: ["scenarios", "worlds"],
  },
  {
    name: "takes another host's job for one that never began",
    file: "runner/run-driver.ts",
    from: "? bootId : `of ${hostId}`",
    to: "? bootId : this.#context.bootId",
    caughtBy: ["scenarios"],
  },
  {
    name: "takes a run that another host drives",
    file: "store/leases.ts",
    from: '    .where("status", "in", ["pending", "running"])\n    .where(isFreeFor(db, hostId))\n    .returning',
    to: '    .where("status", "in", ["pending", "running"])\n    .returning',
    caughtBy: ["worlds"],
  },
  {
    name: "does not ask again what has no answer",
    file: "runner/run-driver.ts",
    from: "this.#errands.ask([...progress.asks.values()]);",
    to: "",
    caughtBy: ["scenarios", "worlds"],
  },
  {
    name: "loses the jobs of a snapshot",
    file: "runner/progress.ts",
    from: "jobs: [...jobs.values()]",
    to: "jobs: []",
    caughtBy: ["scenarios", "worlds"],
  },
  {
    name: "loses which jobs had been issued before a snapshot",
    file: "runner/progress.ts",
    from: "jobCount: progress.jobCount,",
    to: "jobCount: 0,",
    caughtBy: ["scenarios", "worlds"],
  },
  {
    name: "takes no claim on a job that it could not hand out",
    file: "runner/run-jobs.ts",
    from: "const end = await backend.cancel(request);",
    to: 'const end = { reason: "not-started", exitCode: null, startedAtMs: null, endedAtMs: 0 };',
    caughtBy: ["scenarios", "worlds"],
  },
  {
    name: "takes no claim on cancel",
    file: "runner/run-jobs.ts",
    from: "neverStarted(context.clock) : await backend.cancel(request)",
    to: "neverStarted(context.clock) : neverStarted(context.clock)",
    caughtBy: ["scenarios", "worlds"],
  },
  {
    name: "misses an end that comes before the submission is answered",
    file: "runner/run-jobs.ts",
    from: "    handedOut.set(request.id, job);\n    try {\n      const state = await backend.submit(request);",
    to: "    try {\n      const state = await backend.submit(request);\n      handedOut.set(request.id, job);",
    caughtBy: ["worlds"],
  },
  {
    name: "misses an end that came while it was away",
    file: "runner/run-jobs.ts",
    from: 'if (state.status === "ended") tell(request.id, state.end);',
    to: "void state;",
    caughtBy: ["worlds"],
  },
  {
    name: "forgets jobs that wait for a place when it takes a run up",
    file: "runner/run-driver.ts",
    from: "    this.#jobs.waitForPlaces(waiting);\n    // A write must not",
    to: "    // A write must not",
    caughtBy: ["worlds"],
  },
  {
    name: "keeps the places of a run that it has let go of",
    file: "runner/run-jobs.ts",
    from: "for (const id of placed) places.give(id);",
    to: "",
    caughtBy: ["worlds"],
  },
  {
    name: "gives each place back twice",
    file: "scheduler/places.ts",
    from: "add(inUse, place.amount, -1);",
    to: "add(inUse, place.amount, -1);\n        add(inUse, place.amount, -1);",
    caughtBy: ["worlds"],
  },
  {
    name: "hands out a job whose turn is not recorded",
    file: "runner/run-driver.ts",
    from: "await this.#writer.admit(",
    to: "void (",
    caughtBy: ["worlds"],
  },
  {
    name: "acknowledges a stop before it is recorded",
    file: "operations/runs/stop-workflow.ts",
    from: "const workflow = await transaction(context.db, (db) => askToStop(db, id, atMs));",
    to:
      "void transaction(context.db, (db) => askToStop(db, id, atMs)).catch(() => undefined);\n" +
      "  const workflow = await oneWorkflow(context.db, id);",
    caughtBy: ["worlds"],
  },
  {
    name: "forgets a stop when it takes a run up",
    file: "runner/run-driver.ts",
    from: "if (this.#workflow.stopRequestedAtMs !== null) return this.stop();",
    to: "",
    caughtBy: ["worlds"],
  },
  {
    name: "leaves what jobs left behind",
    file: "runner/run-driver.ts",
    from: "await this.#context.backend.endLeftovers(await jobIdsOfWorkflow(this.#context.db, this.#workflow.id));",
    to: "await jobIdsOfWorkflow(this.#context.db, this.#workflow.id);",
    caughtBy: ["scenarios", "worlds"],
  },
  {
    name: "counts a job as running that waited for its place",
    file: "store/job-changes.ts",
    from: 'running: before === "running" ? -1 : 0,',
    to: "running: -1,",
    caughtBy: ["worlds"],
  },
  {
    name: "ends a run whose jobs still run",
    file: "runner/run-driver.ts",
    from: "progress.ending !== undefined && progress.jobs.size === 0",
    to: "progress.ending !== undefined",
    caughtBy: ["scenarios", "worlds"],
  },
  {
    name: "tries a command again beside what the attempt before left behind",
    file: "runner/run-jobs.ts",
    from: "if (attemptOf(job) > 1) await leaveNothingBefore(job);",
    to: "",
    caughtBy: ["worlds"],
  },
  {
    name: "takes the end of one attempt for that of the next",
    file: "runner/progress.ts",
    from: "attemptOf(job) === attemptOf(event) && jobs.delete(event.key)",
    to: "jobs.delete(event.key)",
    caughtBy: ["worlds"],
  },
  {
    name: "takes over what an earlier run has failed to do",
    file: "engines/serial/compare.ts",
    from: 'return job?.key === key && job.status === "finished";',
    to: "return job?.key === key;",
    caughtBy: ["worlds"],
  },
  {
    name: "takes over a job by the name that it has in its own run",
    file: "runner/engine-input.ts",
    from: "id: last.takenFrom ?? last.id,",
    to: "id: last.id,",
    caughtBy: ["worlds"],
  },
  {
    name: "forgets in a snapshot which attempt a command is at",
    file: "engines/serial/serial-engine.ts",
    from: "return { state: { ...state, attempt }, instructions",
    to: "return { state: Object.defineProperty({ ...state }, 'attempt', { value: attempt }), instructions",
    caughtBy: ["worlds"],
  },
  {
    name: "does not compare the jobs of a replay with those that were issued",
    file: "runner/replay.ts",
    from: "key !== issued[index]",
    to: "key === undefined",
    caughtBy: ["scenarios"],
  },
];

const SERVER = path.join(import.meta.dirname, "..", "..");

/** Returns which scenario fails and why, or nothing if every scenario holds. */
export function caughtByScenarios(mutant: Mutant | undefined): Promise<string | undefined> {
  return onCopy(mutant, (server, root) =>
    tryScenarios(path.join(server, "test", "support", "try-scenarios.ts"), root),
  );
}

/** Tries at most `worldsMax` worlds, until one catches the mutant. */
export function caughtByWorlds(
  mutant: Mutant,
  worldsMax: number,
  signal: AbortSignal,
): Promise<WorldsReport> {
  return onCopy(mutant, (server) =>
    tryWorldsIn(path.join(server, "test", "simulation", "run-worlds.ts"), signal, [
      "--first=1",
      `--count=${worldsMax}`,
      "--until-failure",
    ]),
  );
}

async function onCopy<Result>(
  mutant: Mutant | undefined,
  work: (server: string, root: string) => Promise<Result>,
): Promise<Result> {
  const root = await mkdtemp(path.join(os.tmpdir(), "reprise-mutant-"));
  const server = path.join(root, "server");
  try {
    await copyServer(server);
    if (mutant) await applyTo(path.join(server, "src", mutant.file), mutant);
    return await work(server, root);
  } finally {
    await rm(root, { recursive: true });
  }
}

async function copyServer(target: string): Promise<void> {
  await mkdir(target);
  await symlink(path.join(SERVER, "..", "node_modules"), path.join(target, "..", "node_modules"));
  for (const part of ["package.json", "src", path.join("test", "support"), path.join("test", "simulation")]) {
    await cp(path.join(SERVER, part), path.join(target, part), { recursive: true });
  }
}

/** Applies a mutant. Refuses one whose text is no longer there: it would be the sound runner, and prove nothing. */
async function applyTo(file: string, mutant: Mutant): Promise<void> {
  const sound = await readFile(file, "utf8");
  if (sound.split(mutant.from).length !== 2) {
    throw new Error(
      `The mutant "${mutant.name}" does not fit ${mutant.file}: its text must be there exactly once.`,
    );
  }
  await writeFile(
    file,
    sound.replace(mutant.from, () => mutant.to),
  );
}

/**
 * Runs the scenarios. Their temporary folders are in `folder`, because a process that has caught something exits
 * without cleanup.
 */
async function tryScenarios(script: string, folder: string): Promise<string | undefined> {
  const env = { ...process.env, TMPDIR: folder };
  const child = spawn(process.execPath, [script], { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [told, complaints, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  if (code === 0) return undefined;
  if (code === 1 && told !== "") return told;
  throw new Error(`The scenarios could not be tried: ${complaints}`);
}
