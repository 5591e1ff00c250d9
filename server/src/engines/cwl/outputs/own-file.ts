import path from "node:path";
import { outFolder, type ToolContext } from "#engines/cwl/command/tool-context";
import { CwlFailure } from "#engines/cwl/expressions/evaluator";
import { OUTPUT_FILE } from "#engines/cwl/command/output-patterns";
import { type FileValue, mapDeep, mapFiles } from "#engines/cwl/values/files";
import { isMapping, type Mapping } from "#engines/cwl/model/json";
import { absolute } from "#engines/cwl/values/present";

type OwnFileContext = Pick<ToolContext, "what" | "workspaceFolder" | "folder">;

/** Reads the outputs listed by a tool itself. Paths may be relative to the working folder. */
export function readOwnFile(text: string, context: OwnFileContext): unknown {
  const outdir = absolute(context.workspaceFolder, outFolder(context.folder));
  return mapFiles(parsed(text, context), (file) =>
    mapDeep(file, (one) => {
      const given = one["path"] ?? one.location;
      if (typeof given !== "string" || /^(?:\/|_:|[a-z]+:\/\/)/.test(given)) return one;
      return { ...one, path: path.posix.join(outdir, given), location: undefined } as unknown as FileValue;
    }),
  );
}

function parsed(text: string, { what }: OwnFileContext): Mapping {
  try {
    const value: unknown = JSON.parse(text);
    if (isMapping(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CwlFailure(`${what}: ${OUTPUT_FILE} is not valid JSON: ${error.message}.`, { cause: error });
  }
  throw new CwlFailure(`${what}: ${OUTPUT_FILE} holds no object.`);
}
