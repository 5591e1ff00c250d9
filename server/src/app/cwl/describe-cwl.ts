import { readWorkflow, requestFor } from "#app/cwl/runner-documents";
import type { CwlDescription, CwlDocumentCall, CwlInput } from "#cli/context";
import type { InputParameter } from "#engines/cwl/model/model";
import { branchesOf, type CwlType, isPrimitive, typeText } from "#engines/cwl/model/types";

/** Describes the inputs of a document. Starts nothing. */
export async function describeCwl(named: CwlDocumentCall): Promise<CwlDescription> {
  const model = await readWorkflow(await requestFor(named), { isWhole: false });
  const { doc, inputs } = model.processes[model.main]!;
  return { ...(doc !== undefined && { doc }), inputs: inputs.map(inputOf) };
}

function inputOf({ name, doc, type, default: fallback }: InputParameter): CwlInput {
  return {
    name,
    type: typeText(type),
    isOptional: branchesOf(type).includes("null"),
    example: exampleOf(type),
    ...(doc !== undefined && { doc }),
    ...(fallback !== undefined && { default: fallback }),
  };
}

const PLACE = { File: "a/file/path", Directory: "a/directory/path" } as const;

/** Returns a value of a type, as cwltool writes it into a template. */
function exampleOf(type: CwlType): unknown {
  const [first = "null"] = branchesOf(type).filter((one) => one !== "null");
  if (!isPrimitive(first)) return compositeOf(first);
  switch (first) {
    case "File":
    case "Directory":
      return { class: first, path: PLACE[first] };
    case "boolean":
      return false;
    case "int":
    case "long":
      return 0;
    case "float":
    case "double":
      return 0.1;
    case "string":
      return "a_string";
    default:
      return null;
  }
}

function compositeOf(type: Exclude<CwlType, string>): unknown {
  switch (type.kind) {
    case "array":
      return [exampleOf(type.items)];
    case "record":
      return Object.fromEntries(type.fields.map((field) => [field.name, exampleOf(field.type)]));
    case "enum":
      return type.symbols[0];
    case "union":
      return exampleOf(type);
  }
}
