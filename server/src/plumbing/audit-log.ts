import { stat } from "node:fs/promises";
import { openLineWriter } from "#plumbing/files/line-writer";
import { linesOf } from "#plumbing/files/lines";
import { maybeJson } from "#plumbing/formats/json";
import { redact } from "#plumbing/secrets/redact";

/** A request that changed something, tried to, or showed secrets. */
export interface AuditEntry {
  readonly time: string;
  /** Name of the operation: `start`, `create-user`. */
  readonly action: string;
  /** E-mail address of the user, or the name of the machine's user for a command without a server. */
  readonly user: string;
  /** Address that the request came from. Absent for a command without a server. */
  readonly ip?: string;
  /** HTTP status of the reply. Absent for a command without a server, which is recorded only on success. */
  readonly status?: number;
  readonly requestId?: string;
  /** Names the object of the action: `run`, `file`, `email`, … */
  readonly subject: Readonly<Record<string, string>>;
}

/** Entries of a part of the log. */
export interface AuditEntries {
  readonly entries: readonly AuditEntry[];
  /** Number of lines of that part that are no entries: a full disk can leave a part of a line. */
  readonly unreadable: number;
}

/** An append-only file with one JSON object per line. Entries never contain tokens. */
export interface AuditLog {
  /** Writes the entry synchronously. */
  write(entry: AuditEntry): void;
  /** Returns the last entries, the newest first: at most so many, and of the last megabyte of the file only. */
  newest(count: number): Promise<AuditEntries>;
  /** Opens the file again by name, because another program has moved it. */
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
    async newest(count) {
      const { size } = await stat(file);
      const tail = await newestAuditEntries(file, { most: count, start: Math.max(0, size - TAIL_BYTES) });
      return { ...tail, entries: tail.entries.toReversed() };
    },
    reopen: () => lines.reopen(),
    close: () => lines.close(),
  };
}

/** The part of the file that is searched: thousands of entries. */
const TAIL_BYTES = 1 << 20;

/** Reads the newest wanted entries after the offset `start`, at most `most`. Returns the oldest first. */
export async function newestAuditEntries(
  file: string,
  {
    most,
    start = 0,
    isWanted = () => true,
  }: {
    readonly most: number;
    readonly start?: number;
    readonly isWanted?: (entry: AuditEntry) => boolean;
  },
): Promise<AuditEntries> {
  const entries: AuditEntry[] = [];
  let unreadable = 0;
  // The first line may have begun before `start`, and the last line may be half written.
  let isInDoubt = start > 0;
  let isDamaged = false;
  for await (const line of linesOf(file, start)) {
    if (isDamaged) unreadable += 1;
    const entry = maybeJson(line);
    isDamaged = !isEntry(entry) && !isInDoubt;
    isInDoubt = false;
    if (!isEntry(entry) || !isWanted(entry)) continue;
    entries.push(entry);
    if (entries.length > most) entries.shift();
  }
  return { entries, unreadable };
}

function isEntry(value: unknown): value is AuditEntry {
  const { time, action, user, subject } = Object(value) as Partial<Record<keyof AuditEntry, unknown>>;
  return [time, action, user].every((word) => typeof word === "string") && Object(subject) === subject;
}
