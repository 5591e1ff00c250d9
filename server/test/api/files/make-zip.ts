import { crc32, deflateRawSync } from "node:zlib";

/** An entry of a zip, with true metadata unless a field says otherwise. */
export interface MadeEntry {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  readonly isDeflated?: boolean;
  /** Unix mode: 0o100644, 0o120777 … */
  readonly mode?: number;
  readonly flags?: number;
  readonly method?: number;
  readonly saysBytes?: number;
  readonly saysCrc?: number;
  /** True if the entry shares the content of the preceding entry, instead of storing a second copy. */
  readonly isAgain?: boolean;
}

/** Builds a zip byte by byte, including zips that an honest program would not make. */
export function makeZip(entries: readonly MadeEntry[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  let last = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const content = Buffer.from(entry.content ?? "");
    const data = entry.isDeflated ? deflateRawSync(content) : content;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(entry.flags ?? 0x0800, 2);
    common.writeUInt16LE(entry.method ?? (entry.isDeflated ? 8 : 0), 4);
    common.writeUInt32LE(entry.saysCrc ?? crc32(content), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(entry.saysBytes ?? content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([signature(0x0403_4b50), common, name, data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((entry.mode ?? 0o100_644) << 16) >>> 0, 6);
    if (!entry.isAgain) last = offset;
    rest.writeUInt32LE(last, 10);
    const made = Buffer.from([20, 3]);
    centrals.push(Buffer.concat([signature(0x0201_4b50), made, common, rest, name]));
    if (entry.isAgain) continue;
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

function signature(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}

/** Builds a form as REANA's client sends it. */
export function makeForm(parts: Readonly<Record<string, string | Buffer>>, isCut = false) {
  const boundary = "----reana-0123456789abcdef";
  const body = Object.entries(parts).map(([name, content]) =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"`),
      Buffer.from(
        typeof content === "string" ? "" : '; filename="a.zip"\r\nContent-Type: application/octet-stream',
      ),
      Buffer.from("\r\n\r\n"),
      Buffer.from(content),
      Buffer.from("\r\n"),
    ]),
  );
  return {
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    payload: Buffer.concat([...body, Buffer.from(isCut ? "" : `--${boundary}--\r\n`)]),
  };
}
