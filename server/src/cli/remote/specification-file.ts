import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { CommandError } from "#cli/failure";
import { codeOf } from "#plumbing/errors";
import { parseYaml } from "#plumbing/yaml";

/** REANA's names for it. */
export const USUAL_NAMES = ["reana.yaml", "reana.yml"];
const BYTES_MAX = 16 << 20;

/** The document in a file: the one that was named, else the one that lies here under a usual name. */
export async function readSpecification(
  named: string | undefined,
): Promise<{ file: string; document: unknown }> {
  const file = named ?? USUAL_NAMES.find((name) => existsSync(name));
  if (file === undefined) {
    throw new CommandError("There is no reana.yaml in this folder. Name a specification with --file.");
  }
  return { file, document: parseYaml(await textOf(file), { maxBytes: BYTES_MAX, what: file }) };
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") throw new CommandError(`There is no file ${file}.`);
    if (codeOf(error) === "EISDIR")
      throw new CommandError(`${file} is a folder: name the specification in it.`);
    throw error;
  }
}
