import { Readable } from "node:stream";
import {
  type DeclaredFiles,
  fileSlots,
  plainValue,
  type Slots,
  valueSlots,
} from "#operations/reports/crate/parameter-entities";
import { jobAction, JobEntities, type ShownJob } from "#operations/reports/crate/job-entities";
import { jobsWithFiles, type JobWithFiles } from "#operations/reports/crate/job-files";
import { crateFiles, givenInputs, SPECIFICATION } from "#operations/reports/crate/crate-files";
import { encoded, type Entity, ref, refs } from "#operations/reports/crate/json-ld";
import { type Content, type KnownFile, PackedFiles } from "#operations/reports/crate/packed-files";
import { type RunStep, RunSteps } from "#operations/reports/crate/run-steps";
import {
  CONTEXT,
  type CrateOptions,
  type CrateRun,
  mainProperties,
  METADATA,
  PREVIEW,
  runEntities,
  softwareOf,
  timesOfRun,
} from "#operations/reports/crate/run-entities";
import { IDS, stepEntities } from "#operations/reports/crate/step-entities";
import { specificationAsRun } from "#operations/reports/crate/specification-as-run";
import type { ComparedOutput, Pack } from "#operations/reports/pack/pack";
import { allJobs } from "#operations/reports/all-jobs";
import { reportPage } from "#operations/reports/page/report-page";
import { type Redact, redacted, withoutCredentials } from "#operations/reports/redaction";
import type { AccountContext, RunAccount } from "#operations/reports/run-account";
import { isUnreadable } from "#operations/stored-logs";
import { isLogRemoved, logOf } from "#operations/watch/logs/job-logs";
import { maskedLogs } from "#operations/watch/logs/masked-logs";
import type { WatchServices } from "#operations/watch/services";
import { recordedOutputs } from "#operations/watch/origin/recorded-files";
import { shownCommand } from "#operations/watch/shown-command";
import type { Mask } from "#plumbing/secrets/mask";
import type { ZipEntry } from "#plumbing/zip/zip-writer";
import type { JobRecord } from "#store/jobs/jobs";
import { pathsIn } from "#workflow/specification/declared-paths";
import { namedBy } from "#plumbing/text/named-by";

const README = "README.md";
const LOGS = "ro-crate-logs";
const LOG_PART_BYTES = 1 << 20;
/** A longer line is cut where a part ends. */
const LINE_MAX_BYTES = 8 << 20;
/** A bound that decides how the zip writes the size of the metadata. */
const METADATA_MAX_BYTES = 2 ** 31;

export type CrateContext = AccountContext & Pick<WatchServices, "jobLogs">;

export interface CrateSource {
  readonly account: RunAccount;
  readonly options: CrateOptions;
  /** Set if the crate is to run again. */
  readonly pack: Pack | undefined;
  readonly redact: Redact;
  readonly mask: Mask;
}

/** Writes the crate of one run. The metadata come last, when the checksums of all other files are known. */
export class CrateWriter {
  readonly #context: CrateContext;
  readonly #source: CrateSource;
  readonly #files = new PackedFiles();
  readonly #steps: RunSteps;
  readonly #actions: string[] = [];
  /** Packed inputs, with the files of the workflow. */
  readonly #given: string[] = [];

  constructor(context: CrateContext, source: CrateSource) {
    this.#context = context;
    this.#source = source;
    this.#steps = new RunSteps(source.account.graph?.nodes ?? []);
  }

  async *entries(): AsyncGenerator<ZipEntry> {
    const { account, options, pack } = this.#source;
    const outputs = await recordedOutputs(this.#context.db, account.run);
    yield* this.#workspaceFiles(outputs);
    const compared = this.#compared(outputs);
    const paths = pack && { given: this.#given, compared: compared.map(({ path }) => path) };
    yield this.#own(SPECIFICATION, JSON.stringify(specificationAsRun(account, paths), null, 2));
    if (pack) yield* pack.entries(this.#supply.bind(this), compared);
    if (!this.#files.has(README)) yield this.#own(README, readmeOf(account, pack));
    yield* this.#logs();
    const page = Buffer.from(reportPage(account, options.version));
    yield { ...this.#head(page.length), name: PREVIEW, content: streamOf([page]) };
    const crate = this.#crate(redacted(outputs, this.#source.redact) as typeof outputs, await this.#inputs());
    yield { ...this.#head(METADATA_MAX_BYTES), name: METADATA, content: streamOf(this.#metadata(crate)) };
  }

  #head(bytes: number) {
    return { modifiedAtMs: this.#source.account.madeAtMs, mode: 0o644, bytes };
  }

  #own(name: string, text: string): ZipEntry {
    const content = Buffer.from(text);
    return this.#files.entry(name, this.#head(content.length), [content]);
  }

  #supply(name: string, file: Pick<ZipEntry, "bytes" | "mode">, content: Content): ZipEntry {
    return this.#files.entry(name, { ...this.#head(file.bytes), mode: file.mode }, content);
  }

  /** Returns the outputs whose checksums are known. */
  #compared(outputs: readonly KnownFile[]): ComparedOutput[] {
    return outputs.flatMap((output) => {
      const sha256 = this.#files.sha256Of(output);
      return sha256 === undefined ? [] : [{ path: output.path, sha256 }];
    });
  }

  async *#workspaceFiles(outputs: readonly KnownFile[]): AsyncGenerator<ZipEntry> {
    const { options, redact } = this.#source;
    const choice = { ...this.#source, ...options, outputs, inputs: await this.#inputs() };
    for await (const { file, isGiven, reason } of crateFiles(this.#context, choice)) {
      if (reason === undefined) {
        if (isGiven) this.#given.push(file.path);
        yield this.#files.entry(file.path, file, file.pieces());
        continue;
      }
      this.#files.leaveOut(redact(file.path), reason);
      await file.close();
    }
  }

  /** Yields what the jobs printed, and notes the jobs of each step. */
  async *#logs(): AsyncGenerator<ZipEntry> {
    const { db } = this.#context;
    const { account, redact } = this.#source;
    const { run } = account;
    const logs = maskedLogs(this.#context, run.ownerId);
    const isGone = await isLogRemoved(db, run);
    for await (const job of allJobs(db, run.id)) {
      const command = redact(this.#command(job));
      this.#steps.add(redacted(job, redact) as JobRecord, {
        id: jobAction(job),
        command,
        ...this.#times(job),
      });
      this.#actions.push(jobAction(job));
      const bytes = isGone ? 0 : await sizeOrZero(logs, job);
      if (bytes === 0) continue;
      yield this.#files.entry(logName(job), this.#head(bytes), readLog(logs, job, bytes));
    }
  }

  #command(job: JobRecord): string {
    return shownCommand(job.command, { workspaceFolder: this.#source.account.workspaceFolder, key: job.key });
  }

  #times(job: JobRecord) {
    const { run } = this.#source.account;
    const endedAtMs = job.finishedAtMs ?? run.finishedAtMs ?? run.stoppedAtMs ?? job.createdAtMs;
    return { startedAtMs: job.startedAtMs ?? endedAtMs, endedAtMs };
  }

  #inputs(): Promise<readonly KnownFile[]> {
    return givenInputs(this.#context, this.#source);
  }

  #crate(recorded: readonly KnownFile[], given: readonly KnownFile[]): CrateRun {
    const { account, options } = this.#source;
    const { specification, inputParameters, operationalOptions } = account.definition;
    const { file } = specification.workflow;
    const main = file !== undefined && this.#files.has(file) ? file : SPECIFICATION;
    const settings = Object.entries({ ...specification.inputs?.options, ...operationalOptions });
    return {
      account,
      options,
      main,
      steps: this.#steps.top,
      values: valueSlots({ ...specification.inputs?.parameters, ...inputParameters }),
      inputs: fileSlots("input", this.#declared(pathsIn(specification.inputs), given)),
      outputs: fileSlots("output", this.#declared(pathsIn(specification.outputs), recorded)),
      settings: settings.map(([name, value]): Entity => {
        return {
          "@id": `#option/${encoded(name)}`,
          "@type": "PropertyValue",
          name,
          value: plainValue(value),
        };
      }),
    };
  }

  /** Groups files by the first declaration that names them. A file without a declaration stands for itself. */
  #declared(names: readonly string[], files: readonly KnownFile[]): DeclaredFiles[] {
    const tests = names.map((name) => ({ name, isNamed: namedBy([name]) }));
    const groups = Map.groupBy(files, ({ path }) => tests.find(({ isNamed }) => isNamed(path))?.name ?? path);
    return [...groups].map(([name, members]) => ({
      name,
      files: members.map((one) => this.#files.idOf(one)),
    }));
  }

  async *#metadata(crate: CrateRun): AsyncGenerator<Buffer> {
    let separator = `{"@context":${JSON.stringify(CONTEXT)},"@graph":[`;
    for await (const entities of this.#pieces(crate)) {
      for (const entity of entities) {
        yield Buffer.from(`${separator}\n${JSON.stringify(entity)}`);
        separator = ",";
      }
    }
    yield Buffer.from("\n]}\n");
  }

  async *#pieces(crate: CrateRun): AsyncGenerator<Iterable<Entity>> {
    const parts = this.#files.paths().map(encoded);
    const attempt = this.#actions.length === 0 ? [...attemptOf(crate)] : [];
    const actions = attempt.length > 0 ? [ATTEMPT] : [...innerActions(crate.steps), ...this.#actions];
    yield [...runEntities(crate, { parts, actions }), ...attempt];
    const workflow = { suffix: "", action: IDS.run, times: timesOfRun(crate.account) };
    if (attempt.length === 0) yield stepEntities(crate.steps, workflow, softwareOf(crate));
    yield* this.#shownJobs();
    const example = exampleOf([crate.inputs, crate.outputs]);
    const main = {
      ...mainProperties(crate),
      ...(attempt.length > 0 && { hasPart: ref(START), step: ref("#step/start") }),
    };
    yield this.#files.packedEntities((path) => ({
      ...example(encoded(path)),
      ...(path === README && { about: ref("./") }),
      ...(path === crate.main && main),
    }));
    yield this.#files.namedEntities(example);
  }

  async *#shownJobs(): AsyncGenerator<Iterable<Entity>> {
    const entities = new JobEntities();
    const { account, redact } = this.#source;
    for await (const jobs of jobsWithFiles(this.#context.db, account.run))
      for (const job of jobs) yield entities.of(this.#shown(redacted(job, redact) as JobWithFiles));
  }

  #shown({ job, read, written, environment }: JobWithFiles): ShownJob {
    const log = logName(job);
    const writes = [...written.map((file) => this.#files.idOf(file)), ...(this.#files.has(log) ? [log] : [])];
    const reads = unique(read.map((file) => this.#files.idOf(file)));
    const shown = { job, command: this.#command(job), environment, reads, ...this.#times(job) };
    return { ...shown, writes: writes.length > 0 ? unique(writes) : [PREVIEW] };
  }
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)];
}

function readmeOf({ name, run }: RunAccount, pack: Pack | undefined): string {
  const again = pack && [
    "It holds what the run needs, and runs again without a network. The outputs are compared with the recorded ones:",
    "",
    `    sh ${pack.starter}`,
    "",
  ];
  return [
    `# ${name}`,
    "",
    `This folder is an RO-Crate of a run that ${run.status === "finished" ? "finished" : `ended as ${run.status}`}.`,
    `Open \`${PREVIEW}\` in a browser to see what ran, and import the crate to run it again:`,
    "",
    "    reprise import FOLDER",
    "",
    ...(again ?? []),
  ].join("\n");
}

/** Returns the actions of workflows within the workflow. */
function innerActions(steps: readonly RunStep[]): string[] {
  const inner = steps.filter(({ children }) => children.length > 0);
  return inner.flatMap(({ id, children }) => [`#run/${encoded(id)}`, ...innerActions(children)]);
}

/** Returns a function from the id of a file to its declarations. */
function exampleOf(slots: readonly Slots[]): (id: string) => Partial<Entity> {
  const formal = new Map<string, string[]>();
  for (const one of slots)
    for (const [index, id] of one.actual.entries())
      formal.set(id, [...(formal.get(id) ?? []), one.formal[index]!]);
  return (id) => ({ exampleOfWork: refs(formal.get(id) ?? []) });
}

const ATTEMPT = `${IDS.run}/attempt`;
const START = "#tool/start";

/** Yields the only thing that happened in a run without jobs: the engine began, and had no step to run. */
function* attemptOf(crate: CrateRun): Generator<Entity> {
  const name = "Start of the run";
  const byEngine = { instrument: ref(IDS.engine), agent: ref(IDS.agent), ...timesOfRun(crate.account) };
  yield { "@id": START, "@type": "SoftwareSourceCode", name, ...softwareOf(crate) };
  yield { "@id": "#step/start", "@type": "HowToStep", name, workExample: ref(START) };
  yield {
    "@id": "#control/start",
    "@type": "ControlAction",
    name,
    instrument: ref("#step/start"),
    object: ref(ATTEMPT),
  };
  const description = "The engine began the run, which had no job.";
  yield { "@id": ATTEMPT, "@type": "ActivateAction", name, description, ...byEngine, instrument: ref(START) };
  const organized = { object: ref("#control/start"), result: ref(IDS.run) };
  yield {
    "@id": "#organize",
    "@type": "OrganizeAction",
    name: "Work of the engine",
    ...byEngine,
    ...organized,
  };
}

function logName({ ordinal }: JobRecord): string {
  return `${LOGS}/${ordinal + 1}.txt`;
}

type Logs = ReturnType<typeof maskedLogs>;

async function sizeOrZero(logs: Logs, job: JobRecord): Promise<number> {
  try {
    return await logs.size(logOf(job));
  } catch (error) {
    if (isUnreadable(error)) return 0;
    throw error;
  }
}

/** Yields a log without the passwords of addresses, which a part in the middle of a line could cut in two. */
async function* readLog(logs: Logs, job: JobRecord, bytes: number): AsyncGenerator<Buffer> {
  let rest = "";
  for (let at = 0; at < bytes; at += LOG_PART_BYTES) {
    const part = await logs.read(logOf(job), at, Math.min(LOG_PART_BYTES, bytes - at));
    // In this encoding, each byte is a character.
    rest += part.toString("latin1");
    const end = at + LOG_PART_BYTES < bytes ? rest.lastIndexOf("\n") + 1 : rest.length;
    const lines = end === 0 && rest.length > LINE_MAX_BYTES ? rest : rest.slice(0, end);
    rest = rest.slice(lines.length);
    yield Buffer.from(withoutCredentials(lines), "latin1");
  }
}

function streamOf(content: Iterable<Buffer> | AsyncIterable<Buffer>): Readable {
  return Readable.from(content, { objectMode: false });
}
