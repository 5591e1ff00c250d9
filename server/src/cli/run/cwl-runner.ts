import type { Call } from "#cli/call";
import type { CliContext } from "#cli/context";
import { optionOf } from "#cli/call";

/** Runs a CWL document in the place of `cwltool`. Standard output holds the output object and nothing else. */
export async function cwlRunner(cli: CliContext, call: Call): Promise<number> {
  const [document, ...others] = call.args;
  const inputFile = others[0]?.startsWith("--") === false ? others.shift() : undefined;
  const outcome = await cli.runCwl(call.settings, {
    document: document!,
    inputFile,
    given: others,
    outdir: optionOf(call, "outdir") ?? ".",
    tmpdirPrefix: optionOf(call, "tmpdirPrefix"),
    isQuiet: call.flags("quiet"),
  });
  if (outcome.reason !== undefined) cli.printError(outcome.reason);
  if (outcome.reason === undefined) cli.print(JSON.stringify(outcome.outputs, null, 4));
  return outcome.exitCode;
}
