import { fullNameOf } from "#operations/full-name";
import type { FileDifference, RunsDiff, WorkspaceComparison } from "#operations/runs/comparison/diff-runs";
import { jsonLines } from "#plumbing/diff/json-differences";
import { unifiedHunks } from "#plumbing/diff/unified-diff";

/** Texts for people that REANA returns for two workflows: specifications and files, as `diff` would print them. */

/** Context lines for specifications. REANA shows three, regardless of the number requested for files. */
const SPECIFICATION_CONTEXT_LINES = 3;

/** Returns the differing lines by section. */
export function specificationDiff({ a, b }: RunsDiff): Record<string, string[]> {
  const sections = [...new Set([...Object.keys(a.specification), ...Object.keys(b.specification)])];
  const linesOf = (section: string) =>
    [a, b].map(({ specification }) => jsonLines(specification[section])) as [string[], string[]];
  return Object.fromEntries(
    sections.map((section) => [
      section,
      [...unifiedHunks(...linesOf(section), SPECIFICATION_CONTEXT_LINES)].flat(),
    ]),
  );
}

/** Returns what `diff -r --unified`, or `diff -rq`, would print for the two workspaces. */
export function workspaceListing({ a, b, files: compared }: RunsDiff, isBrief: boolean): string {
  const names = { a: fullNameOf(a.run), b: fullNameOf(b.run) };
  const { notes } = compared;
  const files = typeof compared.files === "string" ? NOTHING : compared.files;
  const texts = [...notes, ...[compared.files].filter((one) => typeof one === "string")].map(
    (note) => `${shown(note)}\n`,
  );
  let told: string | undefined;
  for (const file of files.differences) {
    // The contents of a folder that only one side has are covered by the line for the folder.
    if (told !== undefined && file.name.startsWith(told)) continue;
    if (isOneSidedFolder(file)) told = `${file.name}/`;
    texts.push(textOf(file, names, isBrief));
  }
  if (files.isCut) texts.push(`The first ${files.differences.length} differences are shown.\n`);
  return texts.join("");
}

const NOTHING: Pick<WorkspaceComparison, "differences" | "isCut"> = { differences: [], isCut: false };

interface Names {
  readonly a: string;
  readonly b: string;
}

function isOneSidedFolder({ a, b }: FileDifference): boolean {
  return (a === null || b === null) && (a ?? b)!.kind === "folder";
}

function textOf(file: FileDifference, { a, b }: Names, isBrief: boolean): string {
  const name = shown(file.name);
  const [one, other] = [`${a}/${name}`, `${b}/${name}`];
  if (file.change === "unreadable") return `Files ${one} and ${other} cannot be compared\n`;
  if (file.a === null || file.b === null) return onlyIn(file.a ? a : b, name);
  const [kindA, kindB] = [file.a.kind, file.b.kind];
  if (kindA !== kindB) return `File ${one} is a ${kindA} while file ${other} is a ${kindB}\n`;
  if (kindA === "link") return `Symbolic links ${one} and ${other} differ\n`;
  if (isBrief || file.diff === null) return `Files ${one} and ${other} differ\n`;
  return `diff -r --unified ${one} ${other}\n--- ${one}\n+++ ${other}\n${inLines(file.diff)}`;
}

function onlyIn(run: string, name: string): string {
  const cut = name.lastIndexOf("/");
  return cut === -1
    ? `Only in ${run}: ${name}\n`
    : `Only in ${run}/${name.slice(0, cut)}: ${name.slice(cut + 1)}\n`;
}

/**
 * Shows control characters as their pictures. REANA's client splits the text as Python does, at more characters than
 * line feeds, and fails on an empty line.
 */
function inLines(text: string): string {
  return text.split("\n").map(shown).join("\n");
}

function shown(line: string): string {
  return line.replace(/[\p{Cc}\u2028\u2029]/gu, pictureOf);
}

function pictureOf(character: string): string {
  if (character === "\t") return character;
  const code = character.charCodeAt(0);
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : "\ufffd";
}
