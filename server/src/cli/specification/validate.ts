import { existsSync } from "node:fs";
import path from "node:path";
import { type Call, optionOf } from "#cli/call";
import type { CliContext } from "#cli/context";
import type { SpecificationFault, SpecificationReport } from "#cli/specification/specification-report";
import { CommandError, EXIT_FAILURE, UsageError } from "#cli/failure";
import { refuseLeavingLink } from "#cli/files/leaving-links";
import { graphRows } from "#cli/specification/graph-rows";
import { faultSentence } from "#cli/specification/specification-fault";
import { memoryOfRun } from "#cli/specification/memory-history";
import { maybeServerLanguages } from "#cli/specification/server-languages";
import { namedInputs } from "#cli/specification/named-inputs";
import { readSpecification, type SpecificationFile } from "#cli/specification/specification-file";
import { programsOf, type StepProgram } from "#cli/specification/step-programs";
import { inColumns } from "#cli/terminal/columns";
import { counted } from "#plumbing/text/counted";
import { printable } from "#plumbing/text/printable";
import { checkSpecification } from "#workflow/specification/check-specification";
import { findMemoryAdvice } from "#workflow/specification/memory-warnings";
import { placeInText } from "#workflow/specification/place-in-text";

/**
 * Checks a specification as creating and starting it would, and looks for its programs on this machine; or checks a CWL
 * document. Contacts a server only if the memory of an earlier run is asked for, or if the machine of a named server
 * decides whether the language runs.
 */
export async function validate(cli: CliContext, call: Call): Promise<number> {
  const [named] = call.args;
  if (named !== undefined && ADDRESS.test(named)) return validateCwl(cli, call, named);
  const file = named === undefined || existsSync(named) ? named : named.split("#", 1)[0];
  const links = { followLinks: call.flags("followLinks") };
  const source = await readSpecification(file, "reprise validate FILE");
  if (isCwlDocument(source.document)) return validateCwl(cli, call, named!, source);
  refuseCwlArguments(call, source);
  await refuseLeavingLink(`${source.file} was`, source.file, links);
  const report = await cli.checkSpecification(
    source.document,
    {
      folder: path.dirname(source.file),
      placeOf: (at) => source.placeOf(at),
      ...links,
    },
    await maybeServerLanguages(cli, call, source.document),
    call.settings,
  );
  const full = await withAdvice(cli, call, source, report);
  return tell(cli, call, { name: named ?? source.file, report: full, source });
}

/** An address of a file on the web or on this machine. Only a CWL document may be named by one. */
const ADDRESS = /^(?:https?|file):\/\//;

async function validateCwl(
  cli: CliContext,
  call: Call,
  document: string,
  source?: SpecificationFile,
): Promise<number> {
  const report = await cli.checkCwl({ document, ...(await namedInputs(cli, call, call.args[1])) });
  const full = source ? await withAdvice(cli, call, source, report) : report;
  return tell(cli, call, { name: document, report: full, source: undefined });
}

function tell(cli: CliContext, call: Call, told: Told): number {
  if (call.flags("json")) printJson(cli, told);
  else print(cli, told);
  return told.report.errors.length === 0 ? 0 : EXIT_FAILURE;
}

/**
 * Adds warnings about the text of the file, and about memory limits that do not fit what the steps used in the run that
 * `--history` names.
 */
async function withAdvice(
  cli: CliContext,
  call: Call,
  { file, document, text }: SpecificationFile,
  report: SpecificationReport,
): Promise<SpecificationReport> {
  const ofText = text.warnings.map((one) => ({ code: "yaml", path: "", file, ...one }));
  const warnings = [...ofText, ...report.warnings];
  const run = optionOf(call, "history");
  if (run === undefined || report.errors.length > 0) return { ...report, warnings };
  const used = await memoryOfRun(cli, call, run);
  const specification = isCwlDocument(document)
    ? { workflow: { type: "cwl" as const, specification: document } }
    : checkSpecification(document).specification;
  const advice = [...findMemoryAdvice(specification, used)];
  return { ...report, warnings: [...warnings, ...advice] };
}

interface Told {
  /** The name of the document, as it was given. */
  readonly name: string;
  readonly report: SpecificationReport;
  /** The file in which faults without a place are looked up. Undefined if all have their places. */
  readonly source: SpecificationFile | undefined;
}

/** Returns whether a document is CWL itself, or inputs that name one. A specification of REANA has a `workflow`. */
function isCwlDocument(document: unknown): boolean {
  if (typeof document !== "object" || document === null || "workflow" in document) return false;
  return ["cwlVersion", "$graph", "class", "cwl:tool"].some((key) => key in document);
}

function refuseCwlArguments({ args: [named, inputFile] }: Call, { file }: SpecificationFile): void {
  if (named !== undefined && named !== file) throw new CommandError(`There is no file ${named}.`);
  if (inputFile !== undefined)
    throw new UsageError(
      `${file} is a specification, which names its own inputs. Only a CWL document takes a file with inputs.`,
    );
}

function printJson(cli: CliContext, { report, source }: Told): void {
  const { errors, warnings, graph, firstJobs } = report;
  const placed = (fault: SpecificationFault) => ({
    ...fault,
    ...(source && fault.path !== "" && fault.file === undefined && placeInText(source.text, fault.path)),
  });
  cli.print(
    JSON.stringify({
      valid: errors.length === 0,
      errors: errors.map(placed),
      warnings: warnings.map(placed),
      steps: stepsOf(report, cli),
      graph,
      first_jobs: firstJobs,
    }),
  );
}

function print(cli: CliContext, { name, report, source }: Told): void {
  const { errors, warnings, graph, firstJobs } = report;
  for (const warning of warnings) cli.printError(`Warning: ${faultSentence(warning, source)}`);
  for (const error of errors) cli.printError(`Error: ${faultSentence(error, source)}`);
  printTable(cli, STEP_HEAD, rowsOf(stepsOf(report, cli)));
  printTable(cli, GRAPH_HEAD, graphRows(graph));
  const jobs = firstJobs
    .slice(0, FIRST_JOBS_SHOWN)
    .map((job) => [job.name, printable(job.command, COMMAND_SHOWN_MAX)]);
  printTable(cli, JOB_HEAD, jobs);
  if (firstJobs.length > jobs.length) cli.print(`… and ${firstJobs.length - jobs.length} more jobs`);
  if (errors.length === 0) cli.print(`${name} is valid${problemCounts(report)}.`);
  else if (errors.every(({ code }) => code === UNSUPPORTED))
    cli.printError(`${name} cannot be run${problemCounts(report)}.`);
  else cli.printError(`${name} is not valid${problemCounts(report)}.`);
}

/** The code of an error in a valid document that asks for what Reprise does not have. */
const UNSUPPORTED = "unsupported";
const STEP_HEAD = ["STEP", "IMAGE", "PROGRAM", "ON THIS MACHINE"];
const GRAPH_HEAD = ["STEP", "JOBS", "AFTER"];
const JOB_HEAD = ["FIRST JOBS", "COMMAND"];
const CELL_SHOWN_MAX = 60;
const COMMAND_SHOWN_MAX = 200;
const FIRST_JOBS_SHOWN = 20;

function printTable(cli: CliContext, head: readonly string[], rows: readonly (readonly string[])[]): void {
  if (rows.length > 0) for (const line of inColumns([head, ...rows])) cli.print(line);
}

interface Step {
  readonly name: string;
  readonly image: string | null;
  readonly programs: readonly StepProgram[];
}

function stepsOf({ steps }: SpecificationReport, { environment }: CliContext): Step[] {
  return steps.map((step) => ({
    name: step.name,
    image: step.image,
    programs: programsOf(step, environment["PATH"] ?? ""),
  }));
}

/** Returns a row for each program. The first row of a step also has its name and image. */
function rowsOf(steps: readonly Step[]): string[][] {
  return steps.flatMap(({ name, image, programs }, index) => {
    const head = [
      printable(name || String(index + 1), CELL_SHOWN_MAX),
      printable(image ?? "-", CELL_SHOWN_MAX),
    ];
    if (programs.length === 0) return [[...head, "-", "-"]];
    return programs.map(({ program, availability }, row) => [
      ...(row === 0 ? head : ["", ""]),
      program,
      availability,
    ]);
  });
}

function problemCounts({ errors, warnings }: SpecificationReport): string {
  const parts = [
    ...(errors.length > 0 ? [counted(errors.length, "error")] : []),
    ...(warnings.length > 0 ? [counted(warnings.length, "warning")] : []),
  ];
  if (parts.length === 0) return "";
  return errors.length > 0 ? `: ${parts.join(", ")}` : `, with ${parts.join(", ")}`;
}
