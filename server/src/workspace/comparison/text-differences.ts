import { unifiedHunks } from "#plumbing/diff/unified-diff";
import { maybeReadWhole } from "#workspace/comparison/file-contents";
import type { ComparisonRequest, FileSide } from "#workspace/comparison/comparison";
import type { HeldFolder } from "#workspace/comparison/held-folder";

/** Larger texts are not compared line by line. */
const TEXT_MAX_BYTES = 512 << 10;
/** Limit of characters reported for one file. */
const ONE_MAX_CHARS = 64 << 10;
/** Limits for all files of a comparison: characters reported and bytes read. */
const ALL_MAX_CHARS = 1 << 20;
const ALL_MAX_BYTES = 32 << 20;

const CUT = "\\ More differences are not shown.\n";

/** Shown as the difference if two texts differ only in the paths of their workspaces. */
const ONLY_PATH = "\\ Only the path of the workspace differs.\n";

/** Line differences of texts, up to the limits above. */
export interface TextDifferences {
  maybeOf(a: HeldFolder, b: HeldFolder, file: TextFile): string | null;
}

interface TextFile {
  readonly name: Buffer;
  readonly a: FileSide;
  readonly b: FileSide;
}

export function textDifferences({ a: rootA, b: rootB, contextLines }: ComparisonRequest): TextDifferences {
  let leftChars = ALL_MAX_CHARS;
  let leftBytes = ALL_MAX_BYTES;
  return {
    maybeOf(a, b, file) {
      if (contextLines === "none" || leftChars <= 0 || leftBytes <= 0) return null;
      if (Math.max(file.a.bytes, file.b.bytes) > TEXT_MAX_BYTES) return null;
      leftBytes -= file.a.bytes + file.b.bytes;
      const one = maybeReadWhole(a, file.name, TEXT_MAX_BYTES);
      const other = maybeReadWhole(b, file.name, TEXT_MAX_BYTES);
      if (!one || !other || isBinary(one) || isBinary(other)) return null;
      const isAlike = withoutPath(one, rootA) === withoutPath(other, rootB);
      const text = isAlike ? ONLY_PATH : differenceOf(one, other, contextLines);
      leftChars -= text.length;
      return text;
    },
  };
}

/** Returns whether a file is binary, by the same rule as `diff` and `git`. */
function isBinary(content: Buffer): boolean {
  return content.includes(0);
}

/** Returns a text without the path of its workspace, one character per byte. */
function withoutPath(content: Buffer, root: string): string {
  return content.toString("latin1").replaceAll(Buffer.from(root).toString("latin1"), "");
}

function differenceOf(a: Buffer, b: Buffer, contextLines: number): string {
  let text = "";
  for (const hunk of unifiedHunks(linesOf(a), linesOf(b), contextLines)) {
    for (const [index, line] of hunk.entries()) {
      text += index === 0 ? `${line}\n` : shown(line);
      if (text.length > ONE_MAX_CHARS) return text.slice(0, ONE_MAX_CHARS).replace(/[^\n]*$/, "") + CUT;
    }
  }
  return text;
}

/**
 * Splits into lines and keeps the line ends. Uses one character per byte, because bytes outside UTF-8 must
 * compare exactly.
 */
function linesOf(content: Buffer): string[] {
  return content.toString("latin1").match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function shown(line: string): string {
  const text = Buffer.from(line, "latin1").toString("utf8");
  return text.endsWith("\n") ? text : `${text}\n\\ No newline at end of file\n`;
}
