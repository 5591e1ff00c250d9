import { open } from "node:fs/promises";
import { openLineWriter } from "#plumbing/files/line-writer";
import { parseJson } from "#plumbing/formats/json";
import { redact } from "#plumbing/secrets/redact";

/** A request that changed something, or tried to, or that showed secrets. */
export interface AuditEntry {
  readonly time: string;
  /** Name of the operation: `start`, `create-user`. */
  readonly action: string;
  /** E-mail address of the user, or the name of the machine's user for a command without a server. */
  readonly user: string;
  /** Address that the request came from. Absent for a command without a server. */
  readonly ip?: string;
  /** HTTP status of the reply. Absent: it was done. */
  readonly status?: number;
  readonly requestId?: string;
  /** Names the object of the action: `run`, `file`, `email`, … */
  readonly subject: Readonly<Record<string, string>>;
}

/** A file that is only appended to, a JSON object a line. No token is ever in it. */
export interface AuditLog {
  /** Writes the entry before it returns. */
  write(entry: AuditEntry): void;
  /** Returns the last entries, the newest first: at most so many, and of the last megabyte of the file only. */
  newest(count: number): Promise<readonly AuditEntry[]>;
  /** Opens the file again by its name, because another program has moved it. */
  reopen(): void;
  close(): Promise<void>;
}

/** Opens the audit log. It calls `report` once if entries are lost: a full disk must not keep users from freeing space. */
export function openAuditLog(file: string, report: (sentence: string) => void): AuditLog {
  const lines = openLineWriter(file, report);
  return {
    write(entry) {
      lines.write(redact(`${JSON.stringify(entry)}\n`));
      lines.flush();
    },
    newest: (count) => newestEntries(file, count),
    reopen: () => lines.reopen(),
    close: () => lines.close(),
  };
}

/** The part of the file that is searched: thousands of entries. */
const TAIL_BYTES = 1 << 20;

async function newestEntries(file: string, count: number): Promise<readonly AuditEntry[]> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    const from = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
    const lines = buffer.toString("utf8", 0, bytesRead).split("\n");
    // The first line may have begun before the tail.
    const whole = (from === 0 ? lines : lines.slice(1)).filter((line) => line.endsWith("}"));
    return whole
      .slice(-count)
      .toReversed()
      .map((line) => parseJson(line) as AuditEntry);
  } finally {
    await handle.close();
  }
}
