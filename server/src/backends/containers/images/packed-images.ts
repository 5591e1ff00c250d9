import { readFileSync } from "node:fs";
import { ImageProblem } from "#backends/containers/image-problem";
import { fullImageName, parseImageName } from "#backends/containers/images/image-name";
import { messageOf } from "#plumbing/errors";
import { printable } from "#plumbing/text/printable";

/**
 * Reads the list of a pack: the ids of its images, by their complete names. No archive of several images keeps the digests
 * of manifests, so an image that steps name by digest is found by the list alone.
 */
export function readPackedImages(file: string | undefined): ReadonlyMap<string, string> {
  if (file === undefined) return new Map();
  const lines = textOf(file)
    .split("\n")
    .filter((line) => line.trim() !== "");
  return new Map(lines.map((line) => entryOf(line, file)));
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ImageProblem(`The list of packed images cannot be read: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

function entryOf(line: string, file: string): readonly [name: string, id: string] {
  const [, id, text = ""] = /^([0-9a-f]{64}) (\S+)$/.exec(line) ?? [];
  const name = parseImageName(text);
  if (id !== undefined && name) return [fullImageName(name), id];
  throw new ImageProblem(
    `The list of packed images ${file} has a line without an id and a name: ${printable(line, 200)}`,
  );
}
