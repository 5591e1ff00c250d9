import os from "node:os";
import type { Call } from "#cli/call";
import { optionOf } from "#cli/call";
import type { CliContext } from "#cli/context";
import { UsageError } from "#cli/failure";
import { listenForStop } from "#cli/terminal/stop-signals";

/** Runs a CWL document in the place of `cwltool`. Standard output holds the output object and nothing else. */
export async function cwlRunner(cli: CliContext, call: Call): Promise<number> {
  const [document, ...others] = call.args;
  if (document === undefined) throw new UsageError("Name the CWL document: reprise cwl-runner main.cwl.");
  if (document.startsWith("--"))
    throw new UsageError(
      `The option \`${document}\` is not one of cwl-runner. Inputs come after the document: main.cwl --name value.`,
    );
  const inputFile = others[0]?.startsWith("--") === false ? others.shift() : undefined;
  const isQuiet = call.flags("quiet");
  const controller = new AbortController();
  const asked = listenForStop(cli, () => undefined);
  let signalCode: number | undefined;
  void asked.then((signal) => {
    signalCode = 128 + os.constants.signals[signal];
    controller.abort();
    return signal;
  });
  const { exitCode, output, reason } = await cli.runCwl(call.settings, {
    document,
    inputFile,
    given: others,
    outdir: optionOf(call, "outdir") ?? ".",
    followLinks: call.flags("followLinks"),
    basedir: optionOf(call, "basedir") ?? ".",
    tmpdirPrefix: optionOf(call, "tmpdirPrefix"),
    containers: call.flags("podman") && !call.flags("noContainer") ? "podman" : "none",
    isPullDisabled: call.flags("disablePull"),
    stop: controller.signal,
    tell: (line) => (isQuiet ? undefined : cli.printError(line)),
  });
  if (reason !== undefined) cli.printError(reason);
  if (output !== undefined) cli.print(output);
  return signalCode ?? exitCode;
}
