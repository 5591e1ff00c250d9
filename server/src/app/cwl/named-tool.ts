import path from "node:path";
import { isAddress } from "#engines/documents";
import { isMapping } from "#engines/cwl/model/json";
import { readYaml } from "#plumbing/formats/yaml";

const BYTES_MAX = 16 << 20;

/**
 * Returns the document that an input object names with `cwl:tool`, in the form a person would type. Undefined
 * if the text is not such an object. `location` is the location of the text.
 */
export function maybeNamedTool(text: string, location: string): string | undefined {
  if (!text.includes("cwl:tool")) return undefined;
  const { value } = readYaml(text, { maxBytes: BYTES_MAX, what: "The document", schema: "core" });
  const tool = isMapping(value) && value["class"] === undefined ? value["cwl:tool"] : undefined;
  if (typeof tool !== "string" || URL.canParse(tool)) return typeof tool === "string" ? tool : undefined;
  if (isAddress(location)) return new URL(tool, location).href;
  return path.resolve(path.dirname(`/${location}`), tool);
}
