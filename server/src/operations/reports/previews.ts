import type { Workspace } from "#workspace/workspace";
import type { ResultFile } from "#workflow/run/results";
import { shortSize } from "#plumbing/text/human-size";

/** The preview of a file in a report. */
export type Preview =
  | { readonly kind: "picture"; readonly type: string; readonly base64: string }
  | { readonly kind: "table"; readonly rows: readonly (readonly string[])[]; readonly isCut: boolean }
  /** Why a file with a preview has none here. */
  | { readonly kind: "none"; readonly reason: string };

/** Pictures by their first bytes, because a name may lie. An SVG is shown as a picture, so that its scripts never run. */
const PICTURES: readonly (readonly [name: RegExp, type: string, isOf: (content: Buffer) => boolean])[] = [
  [/\.png$/i, "image/png", (content) => content.subarray(0, 8).toString("latin1") === "\x89PNG\r\n\x1a\n"],
  [/\.jpe?g$/i, "image/jpeg", (content) => content.subarray(0, 3).toString("latin1") === "\xff\xd8\xff"],
  [/\.gif$/i, "image/gif", (content) => /^GIF8[79]a/.test(content.toString("latin1", 0, 6))],
  [/\.webp$/i, "image/webp", (content) => /^RIFF.{4}WEBP/s.test(content.toString("latin1", 0, 12))],
  [
    /\.svg$/i,
    "image/svg+xml",
    (content) => /^\s*(<\?xml|<!--|<!DOCTYPE svg|<svg)/i.test(content.toString("utf8", 0, 256)),
  ],
];
const TABLES: readonly (readonly [name: RegExp, separator: string])[] = [
  [/\.csv$/i, ","],
  [/\.tsv$/i, "\t"],
];

const PICTURE_MAX_BYTES = 1 << 20;
const PICTURES_MAX_BYTES = 4 << 20;
const TABLE_MAX_BYTES = 1 << 20;
const PREVIEWS_MAX = 24;
const ROWS_MAX = 12;
const COLUMNS_MAX = 12;
const CELL_MAX = 120;

/** Reads the pictures and small tables among the files, by path, within the limits of a report. */
export async function previewsOf(
  workspace: Pick<Workspace, "readMany">,
  files: readonly ResultFile[],
): Promise<ReadonlyMap<string, Preview>> {
  const previews = new Map<string, Preview>();
  const wanted: string[] = [];
  let left = PICTURES_MAX_BYTES;
  for (const { path, bytes } of files) {
    const most = mostBytes(path);
    if (most === undefined || bytes === 0) continue;
    const isPicture = PICTURES.some(([name]) => name.test(path));
    const fits = bytes <= most && (!isPicture || bytes <= left) && wanted.length < PREVIEWS_MAX;
    if (!fits) {
      previews.set(path, {
        kind: "none",
        reason: `Not shown (${shortSize(bytes)}): the report has no room for it.`,
      });
      continue;
    }
    if (isPicture) left -= bytes;
    wanted.push(path);
  }
  for await (const { name, content } of workspace.readMany(wanted, PICTURE_MAX_BYTES))
    previews.set(name, previewOf(name, content));
  return previews;
}

function mostBytes(path: string): number | undefined {
  if (PICTURES.some(([name]) => name.test(path))) return PICTURE_MAX_BYTES;
  return TABLES.some(([name]) => name.test(path)) ? TABLE_MAX_BYTES : undefined;
}

function previewOf(path: string, content: Buffer): Preview {
  const separator = TABLES.find(([name]) => name.test(path))?.[1];
  if (separator !== undefined) return tableOf(content.toString("utf8"), separator);
  const [, type] = PICTURES.find(([name, , isOf]) => name.test(path) && isOf(content)) ?? [];
  if (type === undefined)
    return { kind: "none", reason: "Not shown: it is not the picture that its name promises." };
  return { kind: "picture", type, base64: content.toString("base64") };
}

/** Reads the first rows of a table. A quoted cell may hold separators, line ends and doubled quotes. */
function tableOf(text: string, separator: string): Preview {
  const cell = new RegExp(String.raw`(?:"((?:[^"]|"")*)"|([^${separator}\r\n]*))(${separator}|\r?\n|$)`, "y");
  const rows: string[][] = [];
  let row: string[] = [];
  let isCut = false;
  while (rows.length < ROWS_MAX && cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (!match) break;
    const [, quoted, plain = "", end] = match;
    const value = quoted === undefined ? plain : quoted.replaceAll('""', '"');
    if (row.length < COLUMNS_MAX) row.push(value.length > CELL_MAX ? `${value.slice(0, CELL_MAX)}…` : value);
    else isCut = true;
    if (end === separator && cell.lastIndex < text.length) continue;
    rows.push(row);
    row = [];
  }
  return { kind: "table", rows, isCut: isCut || cell.lastIndex < text.length };
}
