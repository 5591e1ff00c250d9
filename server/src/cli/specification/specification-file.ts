import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { CommandError } from "#cli/failure";
import { type LinkOptions, refuseLeavingLink } from "#cli/files/leaving-links";
import type { SpecificationSource } from "#cli/specification/specification-fault";
import { codeOf } from "#plumbing/errors";
import { placeInWords } from "#plumbing/formats/line-and-column";
import { placeInText } from "#workflow/specification/place-in-text";
import { readYaml, warningSentences, type YamlDocument } from "#plumbing/formats/yaml";

export interface SpecificationFile extends SpecificationSource {
  readonly file: string;
  readonly text: YamlDocument;
  /** Warnings about the text, as sentences with places. */
  readonly warnings: readonly string[];
}

/** REANA's names for the specification. */
export const USUAL_NAMES = ["reana.yaml", "reana.yml"];
const BYTES_MAX = 16 << 20;

/**
 * Reads the named file, or the file with a usual name in this folder. `howToName` explains how to name a file
 * for the command. Refuses a link out of the folder, unless `links` allows the link or is absent.
 */
export async function readSpecification(
  named: string | undefined,
  howToName: string,
  links?: LinkOptions,
): Promise<SpecificationFile> {
  const file = named ?? USUAL_NAMES.find((name) => existsSync(name));
  if (file === undefined) {
    throw new CommandError(`There is no reana.yaml in this folder. Name the file: ${howToName}.`);
  }
  if (links) await refuseLeavingLink(`${file} was`, file, links);
  const text = readYaml(await textOf(file), { maxBytes: BYTES_MAX, what: file });
  if (text.value === null) {
    throw new CommandError(`${file} is empty. A specification needs at least workflow.type and the steps.`);
  }
  const placeOf = (at: string) => placeInWords(file, placeInText(text, at));
  return { file, document: text.value, text, placeOf, warnings: warningSentences(text, file) };
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
