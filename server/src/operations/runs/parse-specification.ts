import { MAX_SPECIFICATION_BYTES } from "#sources/git-source";

/** Parses YAML or JSON, which is YAML too. The parser is loaded on demand: most servers never need it. */
export async function parseSpecification(text: string, what: string): Promise<unknown> {
  const { parseYaml } = await import("#plumbing/yaml");
  return parseYaml(text, { maxBytes: MAX_SPECIFICATION_BYTES, what });
}
