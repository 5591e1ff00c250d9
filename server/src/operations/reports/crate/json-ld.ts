import path from "node:path";

/** An entity of a crate, as flattened JSON-LD. Properties without a value are left out of the document. */
export interface Entity {
  readonly "@id": string;
  readonly "@type": string | readonly string[];
  readonly [property: string]: unknown;
}

export interface Ref {
  readonly "@id": string;
}

export function ref(id: string): Ref {
  return { "@id": id };
}

/** Returns a property that names entities: a list only if it names several. */
export function refs(ids: readonly string[]): Ref | readonly Ref[] | undefined {
  return ids.length > 1 ? ids.map(ref) : ids.map(ref)[0];
}

/** Returns the relative address of a file of the crate, or a part of an id. */
export function encoded(name: string): string {
  return name.split("/").map(encodeURIComponent).join("/");
}

/** Returns a time in the form that the profiles want: with an offset in place of `Z`. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace("Z", "+00:00");
}

/** The status of an action as the profiles spell it. */
export const COMPLETED = "http://schema.org/CompletedActionStatus";
export const FAILED = "http://schema.org/FailedActionStatus";

/** Media types by extension, for files that people look at. */
const FORMATS: Readonly<Record<string, string>> = {
  ".cwl": "text/x-yaml",
  ".csv": "text/csv",
  ".gif": "image/gif",
  ".html": "text/html",
  ".ipynb": "application/x-ipynb+json",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".md": "text/markdown",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".py": "text/x-python",
  ".sh": "text/x-sh",
  ".smk": "text/x-python",
  ".svg": "image/svg+xml",
  ".tsv": "text/tab-separated-values",
  ".txt": "text/plain",
  ".xml": "application/xml",
  ".yaml": "text/x-yaml",
  ".yml": "text/x-yaml",
};

export function formatOf(file: string): string {
  return FORMATS[path.posix.extname(file).toLowerCase()] ?? "application/octet-stream";
}
