import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { maybeParts } from "#app/cwl/document-parts";
import { machineMounts } from "#app/cwl/machine-mounts";
import { evaluatorFor } from "#app/cwl/model-evaluator";
import { readWorkflow, requestFor, type RunnerRequest, UnusableWorkflow } from "#app/cwl/runner-documents";
import { addressesIn } from "#app/cwl/runner-downloads";
import { backendsOfMachine } from "#app/jobs/backends";
import { readableRoots } from "#app/jobs/readable-roots";
import type { CwlDocumentCall } from "#cli/context";
import type { SpecificationFault, SpecificationReport } from "#cli/specification/specification-report";
import { createCwlEngine } from "#engines/cwl/cwl-engine";
import type { CwlModel } from "#engines/cwl/model/model";
import { imagesIn } from "#engines/cwl/named-images";
import type { EngineInput, RunRequest } from "#engines/engine";
import { UNLIMITED } from "#engines/outstanding";
import { faultCode, type Problem } from "#engines/problem";
import { findImageProblems } from "#operations/runs/checks/image-checks";
import { systemClock } from "#plumbing/clock";
import { systemRandom } from "#plumbing/ids";
import { type EngineSession, inProcessRuntime } from "#runner/engine/engine-runtime";
import { rehearse } from "#runner/engine/rehearse";
import { answerAsk } from "#runner/files/answer-ask";
import { digestsIn } from "#workflow/capabilities";
import { openWorkspaces } from "#workspace/workspaces";

const NOTHING_KNOWN = { steps: [], graph: { nodes: [], edges: [] }, firstJobs: [] } as const;

/**
 * Checks a CWL document of this machine with all documents that it runs. With a file of inputs, the run is
 * rehearsed: input files are looked for, and expressions evaluated, up to each job to be run. No command is
 * started.
 */
export async function checkCwl(named: CwlDocumentCall): Promise<SpecificationReport> {
  return reported(async () => {
    const asked = await requestFor(named);
    const parts = maybeParts(named, asked.texts[asked.location]);
    return parts.length === 0 ? checkOne(named, asked) : checkParts(named.document, parts);
  });
}

/** Checks every process of a packed document that has no `main`. */
async function checkParts(document: string, parts: readonly string[]): Promise<SpecificationReport> {
  const reports: SpecificationReport[] = [];
  for (const part of parts)
    reports.push(await checkPart({ document: `${document}#${part}`, inputFile: undefined }));
  const hint = `It has no process \`main\`. Name the one to run: ${document}#${parts[0]}.`;
  return {
    ...NOTHING_KNOWN,
    errors: eachOnce(reports.flatMap(({ errors }) => errors)),
    warnings: eachOnce([asFault(hint), ...reports.flatMap(({ warnings }) => warnings)]),
  };
}

/** Removes duplicates: a process with several callers is read once per caller. */
function eachOnce(faults: readonly SpecificationFault[]): readonly SpecificationFault[] {
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
}

function checkPart(named: CwlDocumentCall): Promise<SpecificationReport> {
  return reported(async () => checkOne(named, await requestFor(named)));
}

async function checkOne(named: CwlDocumentCall, asked: RunnerRequest): Promise<SpecificationReport> {
  const model = await readWorkflow(asked, { isWhole: named.inputFile !== undefined });
  const images = await findImageProblems(backendsOfMachine(), imagesIn(model));
  const warnings = [...model.warnings, ...images.map(({ message }) => message)].map(asFault);
  const isWhole = named.inputFile !== undefined && addressesIn(model).length === 0;
  return reportOn(asked.request, model, { warnings, isRehearsed: isWhole });
}

/** Returns the report, or a report of the problems that stop the reading. */
async function reported(check: () => Promise<SpecificationReport>): Promise<SpecificationReport> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof UnusableWorkflow)) throw error;
    return { errors: error.problems.map(placed), warnings: [], ...NOTHING_KNOWN };
  }
}

interface Wanted {
  readonly warnings: readonly SpecificationFault[];
  readonly isRehearsed: boolean;
}

async function reportOn(
  request: RunRequest,
  model: CwlModel,
  { warnings, isRehearsed }: Wanted,
): Promise<SpecificationReport> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "reprise-validate-"));
  try {
    const engine = createCwlEngine({ publishes: false, root: "/" });
    const input: EngineInput = { ...request, model, run: { ...RUN, workspaceFolder: folder } };
    const session = await inProcessRuntime(engine, await evaluatorFor(model)).open(input);
    const graph = await session.graph();
    if (!isRehearsed) return { ...NOTHING_KNOWN, errors: [], warnings, graph };
    const { judged, failure } = await rehearsed(session, folder);
    const firstJobs = judged.map(({ name, command }) => ({ name, command }));
    const errors = failure === undefined ? [] : [asFault(failure)];
    return { errors, warnings, steps: [], graph, firstJobs };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const RUN = { id: "validate", name: "validate.1", number: "1", ...UNLIMITED };

/** Replies to the engine's questions from the files of this machine. The workspace is an empty folder. */
async function rehearsed(session: EngineSession, folder: string) {
  const workspaces = openWorkspaces({
    folder: path.dirname(folder),
    incomingFolder: folder,
    readableRoots: readableRoots({ mounts: await machineMounts() }),
    fsync: false,
    random: systemRandom,
    clock: systemClock,
  });
  const files = workspaces.of(path.basename(folder)).forRun(new AbortController().signal);
  return rehearse(session, async (ask) =>
    ask.do === "find-done"
      ? { kind: "found-done", id: ask.id, found: null }
      : answerAsk(files, ask, digestsIn([])),
  );
}

function asFault(message: string): SpecificationFault {
  return { code: "start", path: "", message };
}

/** Shortens the paths of files in the current folder to relative paths. */
function placed({ file, ...problem }: Problem): SpecificationFault {
  if (file === undefined || !path.isAbsolute(file))
    return { code: faultCode(problem), ...problem, ...(file && { file }) };
  const here = path.relative(process.cwd(), file);
  return { code: faultCode(problem), ...problem, file: here.startsWith("..") ? file : here };
}
