/**
 * A small file in a body of many: each is preceded by a line of JSON, `{"name": "data/1.txt", "bytes": 3}`, with
 * `"executable": true` if its execute bit is set.
 */
export interface FileRecord {
  readonly name: string;
  readonly content: Uint8Array;
  readonly isExecutable: boolean;
}

const NEWLINE = 0x0a;

export function joinRecords(files: readonly FileRecord[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts = files.flatMap(({ name, content, isExecutable }) => [
    encoder.encode(
      `${JSON.stringify({ name, bytes: content.length, ...(isExecutable && { executable: true }) })}\n`,
    ),
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

/**
 * Yields each file as soon as it is complete. Its content is valid until the next file is requested. A
 * truncated file is left out; a malformed body is an error.
 */
export async function* recordsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<FileRecord> {
  let line: Uint8Array[] = [];
  let file: ComingFile | undefined;
  let space = new Uint8Array(0);
  for await (const piece of body) {
    for (let rest = piece; rest.length > 0;) {
      if (file) {
        const part = rest.subarray(0, file.content.length - file.filled);
        file.content.set(part, file.filled);
        file.filled += part.length;
        rest = rest.subarray(part.length);
      } else {
        const end = rest.indexOf(NEWLINE);
        line.push(end === -1 ? rest : rest.subarray(0, end));
        if (end === -1) break;
        const { name, bytes, executable = false } = headIn(line);
        if (bytes > space.length) space = new Uint8Array(bytes);
        file = { name, content: space.subarray(0, bytes), isExecutable: executable, filled: 0 };
        line = [];
        rest = rest.subarray(end + 1);
      }
      if (file.filled < file.content.length) continue;
      yield { name: file.name, content: file.content, isExecutable: file.isExecutable };
      file = undefined;
    }
  }
}

interface ComingFile extends FileRecord {
  filled: number;
}

interface Head {
  readonly name: string;
  readonly bytes: number;
  readonly executable?: boolean;
}

function headIn(line: readonly Uint8Array[]): Head {
  const decoder = new TextDecoder();
  const text = line.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
  return JSON.parse(text) as Head;
}
