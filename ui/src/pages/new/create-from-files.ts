import type { Specification } from "reprise-sdk";
import { createRun } from "../../api/changes.ts";
import { isRefusal } from "../../api/client.ts";
import { validate } from "../../api/run-asks.ts";
import { uploadFile } from "../../api/upload.ts";
import type { DroppedFile } from "../../parts/dropped-files.ts";
import type { Mark } from "../../parts/marks.ts";

const SPECIFICATION = /(^|\/)reana(-[\w.-]+)?\.ya?ml$/;
/** Parts of a folder that belong to tools, or that a run creates again. */
const LEFT_OUT = /(^|\/)(\.git|\.venv|__pycache__|node_modules)\//;

/** Reports an unusable specification, with its text and the places of the problems. */
export class UnusableSpecification extends Error {
  readonly text: string;
  readonly marks: readonly Mark[];

  constructor(file: string, text: string, marks: readonly Mark[], options: ErrorOptions) {
    const [first] = marks;
    super(
      first ? `${file}:${first.line}:${first.column}: ${first.message}` : `${file} cannot be used.`,
      options,
    );
    this.text = text;
    this.marks = marks;
  }
}

/**
 * Creates a run from dropped files: the specification nearest to the top, and all files in and below its
 * folder.
 */
export async function createFromFiles(files: readonly DroppedFile[]): Promise<string> {
  const found = files
    .filter(({ path }) => SPECIFICATION.test(path))
    .toSorted((one, other) => one.path.split("/").length - other.path.split("/").length)[0];
  if (!found) throw new Error("There is no reana.yaml among these files. It says what to run.");
  const root = found.path.slice(0, found.path.lastIndexOf("/") + 1);
  const id = await createFrom(found.path, await found.file.text(), nameOf(root));
  const inside = files.filter(({ path }) => path.startsWith(root) && !LEFT_OUT.test(path));
  for (const { path, file } of inside) {
    await uploadFile({ run: id, name: path.slice(root.length), file, onProgress: () => {} });
  }
  return id;
}

async function createFrom(file: string, text: string, name: string): Promise<string> {
  const specification = await parsed(file, text);
  try {
    return (await createRun(name, specification)).workflow_id;
  } catch (error) {
    if (!isRefusal(error) || error.status !== 400) throw error;
    const { marksOf } = await import("../../parts/marks.ts");
    const { errors } = await validate(specification);
    if (errors.length === 0) throw error;
    const marks = marksOf(text, { stopping: errors, noted: [] });
    throw new UnusableSpecification(file, text, marks, { cause: error });
  }
}

async function parsed(file: string, text: string): Promise<Specification> {
  const { parse, YAMLParseError } = await import("yaml");
  try {
    return parse(text) as Specification;
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    const { line = 1, col: column = 1 } = error.linePos?.[0] ?? {};
    const [message = ""] = error.message.split("\n");
    throw new UnusableSpecification(file, text, [{ line, column, stops: true, message }], { cause: error });
  }
}

/** A run has the name of its folder. Names hold no dots: those separate the number of a run. */
function nameOf(root: string): string {
  return (root.split("/").at(-2) ?? "").replaceAll(".", "-");
}
