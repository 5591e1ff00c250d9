import { readFile } from "node:fs/promises";
import path from "node:path";
import { isMapping } from "#engines/cwl/values/json";
import { readYaml } from "#plumbing/formats/yaml";

const BYTES_MAX = 16 << 20;

/** Returns the document that an input object names with `cwl:tool`. Undefined if the file is no such object. */
export async function maybeNamedTool(file: string): Promise<string | undefined> {
  const text = await readFile(file, "utf8");
  if (!text.includes("cwl:tool")) return undefined;
  const { value } = readYaml(text, { maxBytes: BYTES_MAX, what: file, schema: "core" });
  const tool = isMapping(value) && value["class"] === undefined ? value["cwl:tool"] : undefined;
  return typeof tool === "string" ? path.resolve(path.dirname(file), tool) : undefined;
}
