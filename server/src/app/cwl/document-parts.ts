import type { CwlDocumentCall } from "#cli/context";
import { isMapping } from "#engines/cwl/model/json";
import { Refusal } from "#plumbing/errors";
import { readYaml } from "#plumbing/formats/yaml";

const BYTES_MAX = 16 << 20;

/**
 * Returns the ids of all processes in a packed document of which no `main` can be run. Empty if the call names the
 * process, or if the document cannot be read: its reader says why.
 */
export function maybeParts({ document, inputFile }: CwlDocumentCall, text = ""): readonly string[] {
  if (document.includes("#") || inputFile !== undefined) return [];
  const value = maybeYaml(text, document);
  const graph = isMapping(value) ? value["$graph"] : undefined;
  if (!Array.isArray(graph)) return [];
  const ids = graph.flatMap((one) => (isMapping(one) && typeof one["id"] === "string" ? [one["id"]] : []));
  const names = ids.map((id) => id.slice(id.lastIndexOf("#") + 1));
  return names.includes("main") ? [] : names;
}

function maybeYaml(text: string, what: string): unknown {
  try {
    return readYaml(text, { maxBytes: BYTES_MAX, what, schema: "core" }).value;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
