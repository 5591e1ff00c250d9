import { rmSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { openServer, type OpenedServer } from "#app/open-server";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import type { CwlModel, InputParameter } from "#engines/cwl/model/model";
import type { RunRequest } from "#engines/engine";
import { withDownloads } from "#app/cwl/runner-downloads";
import { machineMounts } from "#app/cwl/machine-mounts";
import { evaluatorFor } from "#app/cwl/model-evaluator";
import { makeImages } from "#app/cwl/runner-images";
import { completeFailedOutputs } from "#app/cwl/failed-outputs";
import { Progress } from "#app/cwl/runner-progress";
import { placeOutputs } from "#app/cwl/runner-outputs";
import { readGivenInputs } from "#app/cwl/given-inputs";
import {
  type ReadInputs,
  readWorkflow,
  refuseContainers,
  refuseSingularity,
  refuseUnnamed,
  requestFor,
} from "#app/cwl/runner-documents";
import { localRuns } from "#app/local-runs";
import type { CwlCall } from "#cli/context";
import type { Config } from "#config/settings";
import { createRun } from "#operations/runs/create/create-run";
import { startRun } from "#operations/runs/start/start-run";
import { getFailure } from "#operations/watch/failure";
import { removeTree } from "#workspace/remove/remove-tree";
import { inProcessRuntime } from "#runner/engine/engine-runtime";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { listen } from "#store/database/wake-ups";
import { maybeRunOutputs } from "#store/runs/run-outputs";
import { listRuns } from "#store/runs/run-list";
import { maybeRun, requestStop, type Run } from "#store/runs/runs";
import type { Job } from "#workflow/job/job";
import { isOver, LIVE_STATUSES } from "#workflow/run/run-status";

type Values = Readonly<Record<string, unknown>>;

export interface CwlOutcome {
  readonly ok: boolean;
  /**
   * The output object. After a failure, contains the outputs made until then. Undefined if the run was
   * stopped.
   */
  readonly outputs: Values | undefined;
  /** The sentence why the run failed. */
  readonly reason: string | undefined;
}

/**
 * Runs one workflow in this process, on a temporary data folder, or on a kept one in the folder of the cache.
 */
export async function runCwl(config: Config, run: CwlCall): Promise<CwlOutcome> {
  const named = await requestFor(run);
  const options = run.target === undefined ? {} : { TARGET: run.target };
  const request = { ...named.request, options };
  const readInputs: ReadInputs = (bare) => {
    if (run.wantsSingularity) refuseSingularity(bare);
    if (run.containers === "none") refuseContainers(bare);
    else refuseUnnamed(bare);
    const parameters = bare.processes[bare.main]!.inputs;
    warnOfOptions(run, parameters);
    return readGivenInputs(run.given, parameters, run.basedir);
  };
  const model = await readWorkflow({ ...named, request }, { readInputs, isWhole: true });
  if (run.containers !== "none") await makeImages(model, run);
  for (const warning of model.warnings) run.tell(`Warning: ${warning}`);
  const folder = await makeTemporary(run.tmpdirPrefix ?? path.join(os.tmpdir(), "reprise-cwl-"));
  try {
    const own = {
      ...config,
      dataFolder: run.cachedir === undefined ? folder : path.join(run.cachedir, CACHE),
      reuseAcrossRuns: run.cachedir !== undefined,
      logTo: "file",
      database: undefined,
      sandbox: "none",
      containers: run.containers,
      jobEnvironment: { ...config.jobEnvironment, ...run.environment },
      pullImages: run.pullImages,
      images: "ignore",
      mounts: await machineMounts(),
    } as const;
    run.stop.throwIfAborted();
    return await runIn(
      own,
      run,
      request,
      await withDownloads(model, { folder: path.join(folder, "downloads"), stop: run.stop }),
    );
  } finally {
    if (run.leavesFiles) run.tell(`The temporary files are in ${folder}.`);
    else await removeFolder(folder);
  }
}

/** The data folder in the folder of a cache. The name cannot collide with a server's data folder. */
const CACHE = "reprise-cwl-runner";

/** Warns if an option of the command has the name of an input, and may have been meant for the input. */
function warnOfOptions({ options, tell }: CwlCall, parameters: readonly InputParameter[]): void {
  for (const { name } of parameters.filter((one) => options.includes(one.name)))
    tell(
      `Warning: \`--${name}\` was taken as an option of cwl-runner. The document has an input of this name: ` +
        "give its value after `--`, or in the file with the inputs.",
    );
}

/**
 * Removes the folder of a run that is over. Most can be removed at once. Folders of jobs that are not writable, or very
 * deep, need a slower way.
 */
async function removeFolder(folder: string): Promise<void> {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    await removeTree(folder, systemRandom);
    await rm(folder, { recursive: true, force: true });
  }
}

async function makeTemporary(prefix: string): Promise<string> {
  await mkdir(path.resolve(prefix.endsWith("/") ? prefix : path.dirname(prefix)), { recursive: true });
  return realpath(await mkdtemp(prefix));
}

async function runIn(
  config: Config,
  run: CwlCall,
  request: RunRequest,
  model: CwlModel,
): Promise<CwlOutcome> {
  const evaluate = await evaluatorFor(model);
  const engine = {
    // In a container, too, the files of one job can be read by the next only if both have the same owner.
    ...createCwlEngine({
      publishes: false,
      root: "/",
      keepsContents: run.cachedir !== undefined,
      environment: run.environment,
      finishesAfterFailure: run.finishesAfterFailure,
      ...(run.containers !== "none" && { user: ownUser() }),
    }),
    prepare: () => ({ kind: "ready" as const, model }),
  };
  const server = await openServer(config, {
    engines: [{ language: "cwl", readsDocuments: true, runtime: inProcessRuntime(engine, evaluate) }],
  });
  try {
    await server.tidyUp();
    await stopEarlier(server);
    await server.start();
    return await outcomeOf(server, run, request, model);
  } finally {
    await server.close(true);
  }
}

/** Stops the runs of earlier calls that were killed. Results of their finished jobs are kept. */
async function stopEarlier({ operations: { db }, opened }: OpenedServer): Promise<void> {
  const filter = { userId: opened.admin.id, statuses: LIVE_STATUSES };
  const page = { newestFirst: false, offset: 0, limit: Number.MAX_SAFE_INTEGER };
  const live = await listRuns(db, filter, page);
  for (const { id } of live) await requestStop(db, id, systemClock.now());
}

function ownUser(): Job["user"] {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

async function outcomeOf(
  server: OpenedServer,
  run: CwlCall,
  { specification }: RunRequest,
  model: CwlModel,
): Promise<CwlOutcome> {
  const { operations, opened } = server;
  const { db, workspaces } = operations;
  const created = await createRun(operations, opened.admin, { name: "cwl", document: specification });
  await startRun(operations, opened.admin, { address: created.id, parameters: {}, options: {} });
  const ended = await endOf(server, created.id, run.stop, watcherOf(server, created.id, run));
  const values = await maybeRunOutputs(db, created.id);
  const workspace = workspaces.of(ended.workspaceId);
  const place = (some: Values) =>
    placeOutputs(some, {
      workspaceFolder: workspace.folder,
      outdir: run.outdir,
      followLinks: run.followLinks,
      keepsFiles: run.cachedir !== undefined,
    });
  if (ended.status === "finished") return { ok: true, outputs: await place(values ?? {}), reason: undefined };
  const failure = await getFailure(operations, opened.admin, created.id);
  const lines = [...(failure?.lastLines ?? []), failure?.sentence ?? `The run was ${ended.status}.`];
  const made = values && (await completeFailedOutputs(values, model, workspace.forRun(run.stop)));
  return { ok: false, outputs: made && (await place(made)), reason: lines.join("\n") };
}

/** Returns the function that prints the progress of the run. A quiet call prints no progress. */
function watcherOf({ operations, opened }: OpenedServer, runId: string, run: CwlCall): () => Promise<void> {
  if (run.isQuiet && run.logDir === undefined) return () => Promise.resolve();
  const service = localRuns(operations, opened.admin, () => Promise.resolve());
  const { db } = operations;
  const progress = new Progress({ ...run, db, runId, service });
  return () => progress.look();
}

/** A run is looked at again after this time, in case a change was not announced. */
const LOOK_INTERVAL_MS = 200;

/** Waits for the end of a run. Throws if the person does not want to wait. */
async function endOf(
  { operations: { db } }: OpenedServer,
  id: string,
  stop: AbortSignal,
  watch: () => Promise<void>,
): Promise<Run> {
  let wake: () => void = () => undefined;
  const look = () => wake();
  const stopListening = listen(db, {
    hear: (wakeUp) => wakeUp.kind === "run-changed" && wakeUp.runId === id && wake(),
    afterGap: look,
  });
  stop.addEventListener("abort", look);
  const timer = setInterval(look, LOOK_INTERVAL_MS);
  try {
    for (;;) {
      const changed = new Promise<void>((resolve) => (wake = resolve));
      stop.throwIfAborted();
      const run = (await maybeRun(db, id))!;
      await watch();
      if (isOver(run.status)) return run;
      await changed;
    }
  } finally {
    clearInterval(timer);
    stop.removeEventListener("abort", look);
    await stopListening();
  }
}
