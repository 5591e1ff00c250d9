import type { CliContext, CwlDocumentCall, CwlInput } from "#cli/context";
import { inColumns } from "#cli/terminal/columns";

/** Prints the documentation of a document, and its inputs with their types, documentation and defaults. */
export async function printDocumentHelp(
  cli: Pick<CliContext, "describeCwl" | "print">,
  named: CwlDocumentCall,
): Promise<number> {
  const { doc, inputs } = await cli.describeCwl(named);
  cli.print(`Usage: reprise cwl-runner ${named.document} [inputs.yml] [--name value …]`);
  if (doc !== undefined) cli.print(`\n${doc}`);
  cli.print(inputs.length === 0 ? "\nThe document has no inputs." : "\nInputs:");
  const rows = inputs.map((input) => [`  --${input.name}`, input.type, explained(input)]);
  if (rows.length > 0) for (const line of inColumns(rows)) cli.print(line);
  return 0;
}

function explained({ doc, isOptional, ...input }: CwlInput): string {
  const rule = "default" in input ? `default: ${flow(input.default)}` : isOptional ? "optional" : "required";
  return [...(doc === undefined ? [] : [doc.replaceAll(/\s+/g, " ")]), `(${rule})`].join(" ");
}

/** Prints a file with the inputs of a document, to be filled in. */
export async function printTemplate(
  cli: Pick<CliContext, "describeCwl" | "print">,
  named: CwlDocumentCall,
): Promise<number> {
  const { inputs } = await cli.describeCwl(named);
  if (inputs.length === 0) cli.print("{}");
  for (const input of inputs) {
    const { name, type, doc, isOptional, example } = input;
    const isDefault = input.default !== undefined;
    const note = isDefault
      ? `default value of type ${type}`
      : `type ${type}${isOptional ? " (optional)" : ""}`;
    const docs = doc === undefined ? "" : `: ${doc.replaceAll(/\s+/g, " ")}`;
    cli.print(`${flow(name)}: ${flow(isDefault ? input.default : example)}  # ${note}${docs}`);
  }
  return 0;
}

/** A text that needs no quotes in YAML. */
const PLAIN = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[a-z_/][\w./-]*$/i;

/** Writes a value as YAML in one line. */
function flow(value: unknown): string {
  if (typeof value === "string") return PLAIN.test(value) ? value : JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, inner]) => `${flow(key)}: ${flow(inner)}`)
    .join(", ")}}`;
}
