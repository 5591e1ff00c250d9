import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import type { RepriseClient } from "reprise-sdk";
import type { NearFile } from "#cli/files/origin/origin-reply";
import type { NamedFile } from "#cli/files/origin/read-files";
import { createNumbering, editsBetween } from "#plumbing/diff/edits";
import { shortSize } from "#plumbing/text/human-size";
import { printable } from "#plumbing/text/printable";

/** Larger files are compared by their sketches alone. */
const COMPARED_MAX_BYTES = 16 << 20;
const PATH_SHOWN_MAX = 500;

/** Says how a file differs from the nearest files. Texts that the workspaces still have are compared line by line. */
export async function differences(
  client: RepriseClient,
  file: NamedFile,
  nearest: readonly NearFile[],
): Promise<string[]> {
  const own = file.bytes > COMPARED_MAX_BYTES ? undefined : await readFile(file.name);
  const found: string[] = [];
  for (const near of nearest) {
    const other = own && isText(own) ? await maybeContent(client, near) : undefined;
    found.push(own && other && isText(other) ? inLines(own, other, near) : inChunks(near));
  }
  return found;
}

async function maybeContent(client: RepriseClient, near: NearFile): Promise<Buffer | undefined> {
  const isThere = near.presence === "there" && near.inside === null;
  if (!isThere || near.bytes === null || near.bytes > COMPARED_MAX_BYTES) return undefined;
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/workspace/{file_name}", {
    params: { path: { workflow_id_or_name: near.workflow_id, file_name: near.path } },
    parseAs: "arrayBuffer",
  });
  return Buffer.from(data as unknown as ArrayBuffer);
}

function isText(content: Buffer): boolean {
  return isUtf8(content) && !content.includes(0);
}

function inLines(own: Buffer, other: Buffer, near: NearFile): string {
  const numberOf = createNumbering();
  const [ours, theirs] = [linesOf(own), linesOf(other)];
  const edits = editsBetween(ours.map(numberOf), theirs.map(numberOf));
  const differing = edits.reduce(
    (sum, { aStart, aEnd, bStart, bEnd }) => sum + Math.max(aEnd - aStart, bEnd - bStart),
    0,
  );
  const total = Math.max(ours.length, theirs.length);
  const verb = differing === 1 ? "differs" : "differ";
  return `${differing.toLocaleString("en")} of ${total.toLocaleString("en")} lines ${verb} from ${nameOf(near)}.`;
}

function linesOf(content: Buffer): string[] {
  const lines = content.toString().split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

function inChunks(near: NearFile): string {
  const size = near.bytes === null ? "" : `, ${shortSize(near.bytes)}`;
  if (near.likeness === null || near.likeness === 0) return `${nameOf(near)} has the same name${size}.`;
  return `About ${Math.round(near.likeness * 100)} % of the content is also in ${nameOf(near)}${size}.`;
}

function nameOf({ path, inside, workflow_name: run }: NearFile): string {
  return `${printable(inside === null ? path : `${inside} in ${path}`, PATH_SHOWN_MAX)} of ${run}`;
}
