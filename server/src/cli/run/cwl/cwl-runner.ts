import os from "node:os";
import type { Call } from "#cli/call";
import { optionOf } from "#cli/call";
import type { CliContext } from "#cli/context";
import { UsageError } from "#cli/failure";
import { localTime } from "#cli/terminal/times";
import { preservedEnvironment } from "#cli/run/cwl/preserved-environment";
import { printDocumentHelp, printTemplate } from "#cli/run/cwl/described-inputs";
import { printDot } from "#cli/run/cwl/print-dot";
import { namedInputs } from "#cli/specification/named-inputs";
import { validate } from "#cli/specification/validate";
import { listenForStop } from "#cli/terminal/stop-signals";

/** Runs a CWL document in the place of `cwltool`. Standard output holds the output object and nothing else. */
export async function cwlRunner(cli: CliContext, call: Call): Promise<number> {
  const [document, ...others] = call.args;
  const wantsHelp = call.flags("help") || call.flags("toolHelp");
  if (document === undefined && wantsHelp) return printHelp(cli, call);
  if (document === undefined) throw new UsageError("Name the CWL document: reprise cwl-runner main.cwl.");
  if (document.startsWith("--"))
    throw new UsageError(
      `The option \`${document}\` is not one of cwl-runner. Inputs come after the document: main.cwl --name value.`,
    );
  const inputFile = others[0]?.startsWith("--") === false ? others.shift() : undefined;
  if (call.flags("validate"))
    return validate(cli, { ...call, args: inputFile === undefined ? [document] : [document, inputFile] });
  if (wantsHelp) return printDocumentHelp(cli, { document, inputFile });
  if (call.flags("makeTemplate")) return printTemplate(cli, { document, inputFile });
  const overrides = optionOf(call, "overrides");
  const named = { document, overrides, ...(await namedInputs(cli, call, inputFile)) };
  if (call.flags("printDot")) return printDot(cli, named);
  const isQuiet = call.flags("quiet");
  const print = printerOf(cli, call);
  const controller = new AbortController();
  const asked = listenForStop(cli, () => undefined);
  let signalCode: number | undefined;
  void asked.then((signal) => {
    signalCode = 128 + os.constants.signals[signal];
    controller.abort();
    return signal;
  });
  const { exitCode, output, reason } = await cli.runCwl(call.settings, {
    ...named,
    given: others,
    options: givenOptions(call),
    outdir: optionOf(call, "outdir") ?? ".",
    followLinks: call.flags("followLinks"),
    basedir: optionOf(call, "basedir") ?? ".",
    tmpdirPrefix: optionOf(call, "tmpdirPrefix"),
    containers: call.flags("podman") && call.flags("container") ? "podman" : "none",
    wantsSingularity: call.flags("singularity") && call.flags("container"),
    pullImages: call.flags("disablePull") ? "never" : call.flags("forceDockerPull") ? "always" : "missing",
    logDir: optionOf(call, "logDir"),
    stop: controller.signal,
    target: optionOf(call, "target"),
    cachedir: optionOf(call, "cachedir"),
    finishesAfterFailure: onError(call) === "continue",
    environment: preservedEnvironment(cli, call),
    leavesFiles: call.flags("leaveTmpdir"),
    hasChecksums: call.flags("computeChecksum"),
    isQuiet,
    isVerbose: call.flags("verbose") || call.flags("debug"),
    tell: (line) => (isQuiet ? undefined : print(line)),
  });
  if (reason !== undefined) print(reason);
  if (output !== undefined) cli.print(output);
  return signalCode ?? exitCode;
}

function printHelp(cli: CliContext, { program }: Call): number {
  cli.print(
    program.commands
      .find((one) => one.name() === "cwl-runner")!
      .helpInformation()
      .trimEnd(),
  );
  return 0;
}

function onError(call: Call): string {
  const word = optionOf(call, "onError") ?? "stop";
  if (["stop", "continue"].includes(word)) return word;
  throw new UsageError(`--on-error is \`${word}\`; it must be one of: stop, continue.`);
}

function givenOptions(call: Call): readonly string[] {
  return Object.keys(call.options()).map((name) =>
    name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  );
}

/** Returns the function that prints to standard error, with the time before each line if that is wanted. */
function printerOf(cli: CliContext, call: Call): (text: string) => void {
  if (!call.flags("timestamps")) return (text) => cli.printError(text);
  return (text) => {
    const time = localTime(new Date(cli.clock.now()).toISOString(), cli.timeZone);
    for (const line of text.split("\n")) cli.printError(`[${time}] ${line}`);
  };
}
