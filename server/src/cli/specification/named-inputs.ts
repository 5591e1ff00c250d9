import { type Call, optionOf } from "#cli/call";
import type { CliContext, CwlDocumentCall } from "#cli/context";

/** Returns the inputs of a document: a file, an address, or `-` for standard input. Paths in that start at `--basedir`. */
export async function namedInputs(
  cli: Pick<CliContext, "readInput">,
  call: Call,
  inputFile: string | undefined,
): Promise<Pick<CwlDocumentCall, "inputFile" | "inputText">> {
  if (inputFile !== "-") return { inputFile };
  const folder = optionOf(call, "basedir") ?? ".";
  return { inputFile, inputText: { text: await cli.readInput(), folder } };
}
