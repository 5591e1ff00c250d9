import type { Specification } from "reprise-sdk";
import { createRun } from "../../api/changes.ts";
import { uploadFile } from "../../api/upload.ts";
import type { DroppedFile } from "../../parts/dropped-files.ts";

const SPECIFICATION = /(^|\/)reana(-[\w.-]+)?\.ya?ml$/;
/** Parts of a folder that belong to tools, or that the next run makes. */
const LEFT_OUT = /(^|\/)(\.git|\.venv|__pycache__|node_modules)\//;

/** Creates a run from dropped files: the specification nearest to the top, and all files beside and below it. */
export async function createFromFiles(files: readonly DroppedFile[]): Promise<string> {
  const found = files
    .filter(({ path }) => SPECIFICATION.test(path))
    .toSorted((one, other) => one.path.split("/").length - other.path.split("/").length)[0];
  if (!found) throw new Error("There is no reana.yaml among these files. It says what to run.");
  const specification = await parsed(found);
  const root = found.path.slice(0, found.path.lastIndexOf("/") + 1);
  const { workflow_id: id } = await createRun(nameOf(root), specification);
  const inside = files.filter(({ path }) => path.startsWith(root) && !LEFT_OUT.test(path));
  for (const { path, file } of inside) {
    await uploadFile({ run: id, name: path.slice(root.length), file, onProgress: () => {} });
  }
  return id;
}

async function parsed({ path, file }: DroppedFile): Promise<Specification> {
  const { parse } = await import("yaml");
  try {
    return parse(await file.text()) as Specification;
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** A run has the name of its folder. Names hold no dots: those separate the number of a run. */
function nameOf(root: string): string {
  return (root.split("/").at(-2) ?? "").replaceAll(".", "-");
}
