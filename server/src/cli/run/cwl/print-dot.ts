import type { CliContext, CwlDocumentCall } from "#cli/context";
import { EXIT_FAILURE } from "#cli/failure";
import { faultSentence } from "#cli/specification/specification-fault";

/** Prints the steps of a document, and what each waits for, in the language of Graphviz. Starts nothing. */
export async function printDot(
  cli: Pick<CliContext, "checkCwl" | "print" | "printError">,
  named: CwlDocumentCall,
): Promise<number> {
  const { errors, graph } = await cli.checkCwl(named);
  for (const error of errors) cli.printError(`Error: ${faultSentence(error)}`);
  if (errors.length > 0) return EXIT_FAILURE;
  cli.print("digraph workflow {");
  for (const { id, name } of graph.nodes) cli.print(`  ${quoted(id)} [label=${quoted(name)}];`);
  for (const { from, to } of graph.edges) cli.print(`  ${quoted(from)} -> ${quoted(to)};`);
  cli.print("}");
  return 0;
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
