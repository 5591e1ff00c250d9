import { inColumns } from "#cli/terminal/columns";
import { EXIT_FAILURE } from "#cli/failure";
import type { CliContext, SpecificationReport } from "#cli/context";
import type { Call } from "#cli/call";
import { faultSentence } from "#cli/runs/specification/specification-fault";
import { readSpecification } from "#cli/runs/specification/specification-file";
import type { SpecificationWarning } from "#workflow/specification/specification";
import { programsOf, type StepProgram } from "#cli/runs/specification/step-programs";
import { placeInText } from "#workflow/specification/place-in-text";
import { printable } from "#plumbing/text/printable";

/**
 * Checks a specification as creating and starting it would, and looks for its programs on this machine. Contacts no
 * server.
 */
export async function validate(cli: CliContext, call: Call): Promise<number> {
  const source = await readSpecification(call.args[0], "reprise validate FILE");
  const { file, document, text } = source;
  const report = await cli.checkSpecification(document, (path) => source.placeOf(path));
  const steps = stepsOf(report, cli.environment["PATH"] ?? "");
  const exitCode = report.errors.length === 0 ? 0 : EXIT_FAILURE;
  if (call.flags("json")) {
    const placed = (fault: SpecificationWarning) => ({
      ...fault,
      ...(fault.path !== "" && placeInText(text, fault.path)),
    });
    const [errors, warnings] = [report.errors.map(placed), report.warnings.map(placed)];
    cli.print(JSON.stringify({ valid: errors.length === 0, errors, warnings, steps }));
    return exitCode;
  }
  for (const warning of report.warnings) cli.printError(`Warning: ${faultSentence(warning, source)}`);
  for (const error of report.errors) cli.printError(`Error: ${faultSentence(error, source)}`);
  for (const line of inColumns([HEAD, ...rowsOf(steps)])) if (steps.length > 0) cli.print(line);
  if (exitCode === 0) cli.print(`${file} is valid${counted(report)}.`);
  else cli.printError(`${file} is not valid${counted(report)}.`);
  return exitCode;
}

interface Step {
  readonly name: string;
  readonly image: string | null;
  readonly programs: readonly StepProgram[];
}

function stepsOf({ steps }: SpecificationReport, searchPath: string): Step[] {
  return steps.map((step) => ({
    name: step.name,
    image: step.image,
    programs: programsOf(step, searchPath),
  }));
}

const HEAD = ["STEP", "IMAGE", "PROGRAM", "ON THIS MACHINE"];
const CELL_SHOWN_MAX = 60;

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

function counted({ errors, warnings }: SpecificationReport): string {
  const parts = [
    ...(errors.length > 0 ? [errors.length === 1 ? "1 error" : `${errors.length} errors`] : []),
    ...(warnings.length > 0 ? [warnings.length === 1 ? "1 warning" : `${warnings.length} warnings`] : []),
  ];
  if (parts.length === 0) return "";
  return errors.length > 0 ? `: ${parts.join(", ")}` : `, with ${parts.join(", ")}`;
}
