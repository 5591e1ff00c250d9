import type { CwlVersion } from "#engines/cwl/model/model";

/** The fields of a part of a document, each with the CWL version that introduced it. */
export type Fields = Readonly<Record<string, CwlVersion>>;

/** Reads a table from words: `{ "v1.0": "id type", "v1.1": "loadContents" }`. */
export function fields(words: Readonly<Partial<Record<CwlVersion, string>>>): Fields {
  return Object.fromEntries(
    Object.entries(words).flatMap(([version, names]) =>
      names.split(" ").map((name) => [name, version as CwlVersion] as const),
    ),
  );
}

/** Returns whether a version has the features of version `since`. */
export function has(version: CwlVersion, since: CwlVersion): boolean {
  return since <= version;
}
