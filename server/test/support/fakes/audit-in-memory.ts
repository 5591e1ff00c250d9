import type { AuditEntry, AuditLog } from "#plumbing/audit-log";

/** Creates an audit log in the given list. It reports `unreadable` as the number of unreadable lines. */
export function auditInMemory(entries: AuditEntry[], unreadable = 0): AuditLog {
  return {
    write: (entry) => void entries.push(entry),
    newest: async (count) => ({ entries: entries.slice(-count).toReversed(), unreadable }),
    reopen: () => undefined,
    close: async () => undefined,
  };
}
