/** How many small files travel in one body: before each a line of JSON, `{"name": "data/1.txt", "bytes": 3}`. */
export interface FileRecord {
  readonly name: string;
  readonly content: Uint8Array;
}

const NEWLINE = 0x0a;

export function joinRecords(files: readonly FileRecord[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts = files.flatMap(({ name, content }) => [
    encoder.encode(`${JSON.stringify({ name, bytes: content.length })}\n`),
    content,
  ]);
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Those that are there whole: what comes after a break, or is something else, is left out. */
export function splitRecords(body: Uint8Array<ArrayBuffer>): FileRecord[] {
  const decoder = new TextDecoder();
  const files: FileRecord[] = [];
  for (let at = 0; ;) {
    const end = body.indexOf(NEWLINE, at);
    if (end === -1) return files;
    const head = JSON.parse(decoder.decode(body.subarray(at, end))) as { name: string; bytes: number };
    at = end + 1 + head.bytes;
    if (!(at <= body.length)) return files;
    files.push({ name: head.name, content: body.subarray(end + 1, at) });
  }
}
