import { readFile } from "node:fs/promises";
import path from "node:path";
import type { AuditEntry } from "#plumbing/audit-log";
import type { Witness } from "../witness.ts";

/** P1: the audit log has whole lines only, and an entry for each user whose creation was acknowledged. */
export async function missingInAudit({ users }: Witness, dataFolder: string): Promise<string[]> {
  const text = await readFile(path.join(dataFolder, "logs", "audit.log"), "utf8");
  const lines = text.split("\n").slice(0, -1);
  const torn = lines.filter((line) => !line.startsWith("{") || !line.endsWith("}"));
  if (torn.length > 0) return [`P1: the audit log has a torn line: ${torn[0]}`];
  const entries = lines.map((line) => JSON.parse(line) as AuditEntry);
  const made = entries.filter(({ action }) => action === "create-user" || action === "invite-user");
  const known = new Set(made.filter(({ status }) => status === 201).map(({ subject }) => subject["email"]));
  return users
    .filter(({ email }) => !known.has(email))
    .map(({ email }) => `P1: the audit log does not say who made ${email}.`);
}
