import { MAX_SPECIFICATION_BYTES } from "#sources/git-source";

/** JSON is YAML, so one reader serves both. It is loaded when it is needed: most servers never do. */
export async function parseSpecification(text: string, what: string): Promise<unknown> {
  const { parseYaml } = await import("#plumbing/yaml");
  return parseYaml(text, { maxBytes: MAX_SPECIFICATION_BYTES, what });
}
