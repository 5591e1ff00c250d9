import { Refusal } from "#plumbing/errors";
import { parseYaml } from "#plumbing/formats/yaml";
import type { Workspace } from "#workspace/workspace";
import type { Creator } from "#workflow/run/publication";

/** The description of a result in `CITATION.cff`, a file of the run (Citation File Format 1.2). */
export interface CitationFile {
  readonly title: string | undefined;
  readonly creators: readonly Creator[];
  /** Address of the licence. */
  readonly license: string | undefined;
  readonly keywords: readonly string[];
}

const NAME = "CITATION.cff";
const MAX_BYTES = 256 * 1024;
const NOTHING: CitationFile = { title: undefined, creators: [], license: undefined, keywords: [] };
const ORCID = /(?:^|orcid\.org\/)(\d{4}-\d{4}-\d{4}-\d{3}[\dX])$/;

/** Reads the file of a workspace. Without the file, nothing is known. */
export async function citationFileOf(workspace: Pick<Workspace, "readMany">): Promise<CitationFile> {
  for await (const { content } of workspace.readMany([NAME], MAX_BYTES))
    return parseCitation(content.toString("utf8"));
  return NOTHING;
}

function parseCitation(text: string): CitationFile {
  const value = parseYaml(text, { maxBytes: MAX_BYTES, what: NAME, schema: "core" });
  if (!isMapping(value))
    throw new Refusal("malformed", `${NAME} is not a mapping, as the Citation File Format wants it.`);
  const licenses = [value["license"]].flat();
  const { "license-url": licenseUrl, keywords } = value;
  const [license] = licenses;
  return {
    title: maybeText(value["title"]),
    creators: list(value["authors"]).flatMap(creatorOf),
    license: typeof license === "string" ? `https://spdx.org/licenses/${license}` : maybeText(licenseUrl),
    keywords: list(keywords).flatMap((one) => maybeText(one) ?? []),
  };
}

/** Reads a person, who has a family name, or an organisation. */
function creatorOf(author: unknown): Creator[] {
  if (!isMapping(author)) return [];
  const [family, given] = [
    joined(author, ["name-particle", "family-names"]),
    joined(author, ["given-names", "name-suffix"]),
  ];
  const name =
    family === "" ? (maybeText(author["name"])?.replaceAll(",", "") ?? given) : `${family}, ${given}`;
  if (name === "") return [];
  return [{ name, orcid: maybeOrcid(author["orcid"]), affiliation: maybeText(author["affiliation"]) }];
}

function joined(author: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  return names.flatMap((name) => maybeText(author[name])?.replaceAll(",", "") ?? []).join(" ");
}

/** Returns the number of an ORCID iD, with or without its address. */
function maybeOrcid(value: unknown): string | undefined {
  return typeof value === "string" ? ORCID.exec(value.trim())?.[1] : undefined;
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function maybeText(value: unknown): string | undefined {
  const text = typeof value === "string" ? value.trim() : "";
  return text === "" ? undefined : text;
}
