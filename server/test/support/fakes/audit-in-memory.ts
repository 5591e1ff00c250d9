import type { AuditEntry, AuditLog } from "#plumbing/audit-log";

/** Creates an audit log that keeps its entries in this list, and says that it found so many unreadable lines. */
export function auditInMemory(entries: AuditEntry[], unreadable = 0): AuditLog {
  return {
    write: (entry) => void entries.push(entry),
    newest: async (count) => ({ entries: entries.slice(-count).toReversed(), unreadable }),
    reopen: () => undefined,
    close: async () => undefined,
  };
}
