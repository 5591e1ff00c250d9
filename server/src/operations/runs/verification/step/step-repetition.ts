import type { Caller } from "#operations/context";
import { fullNameOf } from "#operations/full-name";
import { planRestart } from "#operations/runs/start/plan-restart";
import { changedInputs, checkInputs } from "#operations/runs/verification/recorded-inputs";
import { optionsToRepeat, type RepetitionStart } from "#operations/runs/verification/repetition-start";
import { canRepeat, issuedCommand } from "#operations/runs/verification/cause/issued-command";
import { maybeIssued } from "#operations/runs/verification/cause/issued-job";
import { plainScript } from "#operations/runs/verification/cause/repetition-script";
import { jobsOfStep, lastAttempts } from "#operations/runs/verification/step/step-jobs";
import { wholePath, writtenFiles } from "#operations/runs/verification/written-files";
import { isUnchanged } from "#operations/watch/origin/is-unchanged";
import { recordedFiles } from "#operations/watch/origin/recorded-files";
import { Refusal } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";
import type { JobRecord } from "#store/jobs/jobs";
import { maybeLastRunIn } from "#store/runs/restarts";
import { oneDefinition, type Run } from "#store/runs/runs";
import { isOver } from "#workflow/run/run-status";

type StepContext = Parameters<typeof planRestart>[0];

/** Limit on the jobs of a scattered step that are repeated together. Each one is made again from the events of the run. */
const JOBS_MAX = 20;
const TEXT_MAX = 300;

interface Step {
  readonly verified: Run;
  /** Name of the step, or label of one of its jobs. */
  readonly step: string;
}

/**
 * Returns the rerun that repeats one step alone, from the recorded inputs and the files of the steps before it. Refuses if
 * these files are not as the run left them.
 */
export async function stepRepetition(
  context: StepContext,
  caller: Caller,
  { verified, step }: Step,
  signal: AbortSignal,
): Promise<RepetitionStart> {
  const { db } = context;
  const refuse = refusalOf(verified, step);
  if (!isOver(verified.status) || verified.status === "deleted")
    throw refuse(`the run is ${verified.status}`);
  const jobs = lastAttempts(await jobsOfStep(db, verified, step));
  const failed = jobs.find(({ status }) => status !== "finished");
  if (failed) throw refuse(`${failed.label} has not finished`);
  const last = await maybeLastRunIn(db, verified.workspaceId);
  if (last && last.id !== verified.id)
    throw refuse(`${fullNameOf(last)} ran later in its workspace. Verify the step of that run`);
  const files = await filesOf(context, verified, jobs, signal);
  if ([...files.values()].flat().length === 0) throw refuse("no file is recorded that it wrote");
  const given = { verified, jobs, files, refuse };
  return verified.language === "serial"
    ? serialStep(context, caller, given, signal)
    : stepInPlace(context, given, signal);
}

type Refuse = (why: string) => Refusal;

interface GivenStep {
  readonly verified: Run;
  readonly jobs: readonly JobRecord[];
  /** Paths of the written files, by the id of the job. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  readonly refuse: Refuse;
}

function refusalOf(run: Run, step: string): Refuse {
  const name = printable(step, TEXT_MAX);
  return (why) =>
    new Refusal("conflict", `The step ${name} of ${fullNameOf(run)} cannot be verified, because ${why}.`);
}

async function filesOf(
  context: StepContext,
  run: Run,
  jobs: readonly JobRecord[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const written = await writtenFiles(context, run, signal);
  return new Map(
    jobs.map(({ id }) => [id, written.filter(({ jobIds }) => jobIds.includes(id)).map(wholePath)]),
  );
}

/** A serial step runs after the steps before it were taken over, and none runs after it. */
async function serialStep(
  context: StepContext,
  caller: Caller,
  { verified, jobs, refuse }: GivenStep,
  signal: AbortSignal,
): Promise<RepetitionStart> {
  const definition = await oneDefinition(context.db, verified.id);
  const isLeftOut = await checkInputs(context, verified, definition, "verified");
  const { name, key } = jobs[0]!;
  const input = {
    address: verified.id,
    document: undefined,
    parameters: definition.inputParameters,
    options: { ...optionsToRepeat(definition), TARGET: name },
    fresh: false,
  };
  const plan = await planRestart(context, caller, { ...input, fromStep: null }, { verb: "rerun", signal });
  const own = plan.jobs.findIndex((job) => job.key === key);
  const changed = plan.jobs.slice(0, Math.max(0, own)).find(({ verdict }) => verdict !== "taken-over");
  if (changed)
    throw refuse(
      `the files of ${changed.label ?? changed.name} before it are not as the run left them: ${changed.decision.sentence.replace(/\.$/, "")}`,
    );
  return { input: { ...input, fromStep: name }, extras: { isLeftOut } };
}

/** Jobs of other languages run as the steps of a serial run, each in the place of its original. */
async function stepInPlace(
  context: StepContext,
  { verified, jobs, files, refuse }: GivenStep,
  signal: AbortSignal,
): Promise<RepetitionStart> {
  if (jobs.length > JOBS_MAX)
    throw refuse(`it has ${jobs.length} jobs. Name one of them, such as "${jobs[0]!.label}"`);
  await mustHaveReads(context, verified, jobs, signal);
  const steps: object[] = [];
  const outputs: string[] = [];
  for (const job of jobs) {
    const issued = await maybeIssued(context, verified, job, signal);
    if (!issued || !canRepeat(issued.job))
      throw refuse(
        "it needs files outside of the workspace, or this version of the server would make another command",
      );
    const made = files.get(job.id)!;
    const script = plainScript(issuedCommand(issued, made));
    const links = new Set((issued.job.stage ?? []).flatMap((entry) => ("link" in entry ? [entry.at] : [])));
    outputs.push(...made.filter((path) => !links.has(path)));
    const commands = [script.replaceAll("$", "$$$$")];
    steps.push({ name: job.label, environment: issued.job.image ?? "", commands });
  }
  const document = {
    inputs: {},
    workflow: { type: "serial", specification: { steps } },
    outputs: { files: outputs },
  };
  const input = { address: verified.id, document, parameters: {}, options: {}, fresh: true, fromStep: null };
  return { input, extras: { keepsResults: true } };
}

/** Refuses if a file that the jobs read is not as it was in the run. */
async function mustHaveReads(
  { db, workspaces }: StepContext,
  run: Run,
  jobs: readonly JobRecord[],
  signal: AbortSignal,
): Promise<void> {
  const own = new Set(jobs.map(({ id }) => id));
  const reads = (await recordedFiles(db, run)).filter(
    ({ role, jobId, path }) => role === "read" && jobId !== null && own.has(jobId) && !path.startsWith("/"),
  );
  const { files } = await workspaces
    .of(run.workspaceId)
    .collectResults({ declared: [], earlier: [...new Set(reads.map(({ path }) => path))] }, signal);
  const present = new Map(files.map((file) => [file.path, file]));
  const wrong = reads.filter((read) => {
    const now = present.get(read.path);
    if (!now) return true;
    return !(read.sha256 !== null && read.sha256 === now.sha256) && !isUnchanged(read, now.stamp, run);
  });
  if (wrong.length > 0) throw changedInputs(run, "verified", wrong, present);
}
