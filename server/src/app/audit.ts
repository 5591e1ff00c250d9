import { type AuditEntry, type AuditLog, openAuditLog } from "#plumbing/audit-log";
import { systemClock, toWireTime } from "#plumbing/clock";
import type { DataFolder } from "#plumbing/files/data-folder";
import { userName } from "#plumbing/own-user";

export function openAudit(data: Pick<DataFolder, "audit">, report: (sentence: string) => void): AuditLog {
  return openAuditLog(data.audit, report);
}

/**
 * Returns the entry for an action of the machine's user without a request: a start, or a command on the data
 * folder.
 */
export function byMachineUser(action: string, subject: AuditEntry["subject"]): AuditEntry {
  return { time: toWireTime(systemClock.now()), action, user: userName(), subject };
}
