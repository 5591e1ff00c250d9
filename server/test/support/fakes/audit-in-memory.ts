import type { AuditEntry, AuditLog } from "#plumbing/audit-log";

/** Creates an audit log that keeps its entries in this list. */
export function auditInMemory(entries: AuditEntry[]): AuditLog {
  return {
    write: (entry) => void entries.push(entry),
    newest: async (count) => entries.slice(-count).toReversed(),
    reopen: () => undefined,
    close: async () => undefined,
  };
}
