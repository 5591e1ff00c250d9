import { isAddress, locationOf, referenceTo } from "#engines/documents";
import type { Spot } from "#engines/cwl/documents/document-set";
import type { Reader } from "#engines/cwl/documents/reader";
import { fileProblem } from "#engines/cwl/values/files";
import { inputAt, isRemote } from "#workflow/specification/remote-inputs";
import { decodedUri } from "#plumbing/text/decoded-uri";
import { isMapping, type Mapping } from "#engines/cwl/model/json";

/**
 * Turns the places of files in a value from a document into paths: `location` and `path` start where the references of
 * the document start. Files that are given as text have no place.
 */
export function readFileValues(reader: Reader, value: unknown, at: Spot): unknown {
  if (Array.isArray(value))
    return value.map((item: unknown, key) => readFileValues(reader, item, { parent: value, key }));
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).map(
    ([key, item]) => [key, readFileValues(reader, item, { parent: value, key })] as const,
  );
  const made = Object.fromEntries(entries) as Mapping;
  if (value["class"] !== "File" && value["class"] !== "Directory") return made;
  return placed(reader, value, made, at);
}

function placed(reader: Reader, value: Mapping, made: Mapping, at: Spot): Mapping {
  const problem = fileProblem(made);
  if (problem !== undefined)
    reader.refuse(at.parent, at.key, `The ${String(value["class"])} cannot be used: ${problem}.`);
  if (problem !== undefined) return made;
  const { path: given, location, ...fields } = made;
  const others = Object.fromEntries(Object.entries(fields).filter(([, item]) => item !== null));
  const key = typeof location === "string" ? "location" : "path";
  const reference = typeof location === "string" ? location : given;
  if (typeof reference !== "string" || reference.startsWith("_:")) {
    if (others["contents"] !== undefined || others["listing"] !== undefined) return others;
    reader.refuse(
      at.parent,
      at.key,
      `A ${String(value["class"])} has neither \`location\` nor \`path\`, nor a content of its own.`,
    );
    return others;
  }
  if (isRemote(reference)) return { ...others, location: fetchedPath(reader, reference, value) };
  // cwltool packs a `path` as an address of a file.
  const uri = key === "path" && !reference.startsWith("file://") ? referenceTo(reference) : reference;
  const place = pathOf(reader, uri, { parent: value, key });
  return { ...others, location: isRemote(place) ? fetchedPath(reader, place, value) : place };
}

/**
 * Returns where the run stores an address that it fetches before its first job. An address that the specification
 * declares has its path, credentials and checksum from there.
 */
function fetchedPath(reader: Reader, address: string, value: Mapping): string {
  // `reprise cwl-runner`, whose documents may lie anywhere, fetches addresses before the run.
  if (reader.root === "/") return address;
  const section = value["class"] === "File" ? "files" : "directories";
  const declared = reader.declared.find((one) => one.address === address && one.many?.pattern === undefined);
  if (declared) return declared.path;
  const input = inputAt("workflow.specification", address, section);
  if ("reason" in input) {
    reader.refuse(value, "location", `The ${String(value["class"])} cannot be fetched: ${input.reason}.`);
    return address;
  }
  reader.fetched.set(input.path, input);
  return input.path;
}

/** Returns the path of a file: relative to the workspace, or absolute if documents may lie anywhere. */
function pathOf(reader: Reader, uri: string, at: Spot): string {
  const bare = uri.replace(/^file:\/\//, "");
  if (reader.root === "/" && bare.startsWith("/")) return decodedUri(bare);
  const trimmed = bare.length > 1 ? bare.replace(/\/+$/, "") : bare;
  const { base, location } = reader.documents.documentOf(at.parent);
  const place = locationOf(trimmed, base);
  if (place.ok) return isAddress(place.location) ? place.location : `${reader.root}${place.location}`;
  const start = base === location ? "" : " Paths in this document start at the root of the workspace.";
  reader.refuse(at.parent, at.key, `${place.reason}${start}`);
  return trimmed;
}
