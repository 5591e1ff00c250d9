import { openLineWriter } from "#plumbing/files/line-writer";
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
  /** What it concerned: `run`, `file`, `email`, … */
  readonly subject: Readonly<Record<string, string>>;
}

/** A file that is only appended to, a JSON object a line. No token is ever in it. */
export interface AuditLog {
  /** Writes the entry before it returns. */
  write(entry: AuditEntry): void;
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
    reopen: () => lines.reopen(),
    close: () => lines.close(),
  };
}
