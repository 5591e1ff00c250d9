import type { Call } from "#cli/call";
import { optionOf } from "#cli/call";
import type { CliContext } from "#cli/context";
import { UsageError } from "#cli/failure";

/** The exit code for what is not supported. */
const EXIT_UNSUPPORTED = 33;
const NO_CONTAINERS =
  "Unsupported: `--podman` asks for containers, and cwl-runner starts all commands on this machine. " +
  "Leave the option out: images that are only recommended (hints) are not used.";

/** Runs a CWL document in the place of `cwltool`. Standard output holds the output object and nothing else. */
export async function cwlRunner(cli: CliContext, call: Call): Promise<number> {
  const [document, ...others] = call.args;
  if (document === undefined) throw new UsageError("Name the CWL document: reprise cwl-runner main.cwl.");
  if (document.startsWith("--"))
    throw new UsageError(
      `The option \`${document}\` is not one of cwl-runner. Inputs come after the document: main.cwl --name value.`,
    );
  if (call.flags("podman")) {
    cli.printError(NO_CONTAINERS);
    return EXIT_UNSUPPORTED;
  }
  const inputFile = others[0]?.startsWith("--") === false ? others.shift() : undefined;
  const isQuiet = call.flags("quiet");
  const { exitCode, output, reason } = await cli.runCwl(call.settings, {
    document,
    inputFile,
    given: others,
    outdir: optionOf(call, "outdir") ?? ".",
    basedir: optionOf(call, "basedir") ?? ".",
    tmpdirPrefix: optionOf(call, "tmpdirPrefix"),
    tell: (line) => (isQuiet ? undefined : cli.printError(line)),
  });
  if (reason !== undefined) cli.printError(reason);
  if (output !== undefined) cli.print(output);
  return exitCode;
}
