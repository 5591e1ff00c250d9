import { stat } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "#cli/failure";
import { USUAL_NAMES } from "#cli/specification/specification-file";
import { codeOf } from "#plumbing/errors";
import { isUuid } from "#plumbing/ids";
import { looksLikeAddress, namesInAddress } from "#workflow/git-address";

/** The location of the specification for `reprise run`. */
export type Source =
  | { readonly kind: "file"; readonly file: string; readonly folder: string }
  | { readonly kind: "git"; readonly address: string };

/**
 * Resolves a reana.yaml, a folder with a specification, or a Git address. An existing path takes precedence.
 */
export async function findSource(given: string): Promise<Source> {
  const target = path.resolve(given);
  const there = await maybeStat(target);
  if (there?.isDirectory()) return { kind: "file", file: await fileIn(target, given), folder: target };
  if (there) return { kind: "file", file: target, folder: path.dirname(target) };
  if (looksLikeAddress(given)) return { kind: "git", address: given };
  throw new CommandError(
    `There is no ${given}. Give a reana.yaml, a folder that holds one, or the address of a Git repository.`,
  );
}

async function fileIn(folder: string, given: string): Promise<string> {
  for (const name of USUAL_NAMES) {
    const file = path.join(folder, name);
    if (await maybeStat(file)) return file;
  }
  throw new CommandError(`The folder ${given} holds no reana.yaml. Name the file: reprise run FILE.`);
}

export async function maybeStat(file: string) {
  try {
    return await stat(file);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(error) ?? "")) return undefined;
    throw error;
  }
}

/** Names a run after the folder of its analysis, without characters forbidden in names. */
export function nameAfter(folder: string): string {
  const name = path
    .basename(folder)
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 100);
  return name === "" || isUuid(name) ? "run" : name;
}

/**
 * Turns `https://host/owner/repository.git@v1#analyses/fit/reana.yaml` into `fit`, and an address without a path inside
 * into `repository`.
 */
export function nameAfterAddress(address: string): string {
  const { repository, folder } = namesInAddress(address);
  return nameAfter(folder === "" ? repository : folder);
}
