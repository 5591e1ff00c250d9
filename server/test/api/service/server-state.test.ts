import { afterAll, describe, expect } from "vitest";
import type { AuditEntry } from "#plumbing/audit-log";
import { apiFixture } from "../../support/api-fixture.ts";
import { auditInMemory } from "../../support/fakes/audit-in-memory.ts";
import { runScenarios } from "../../support/scenarios/scenarios.ts";

const entries: AuditEntry[] = [];
const api = await apiFixture({ audit: auditInMemory(entries, 2) });
afterAll(() => api.close());
await api.makeUser("ada@example.org");
entries.length = 0;
for (const status of [undefined, 409]) {
  entries.push({
    time: "2026-11-22T12:00:00",
    action: "stop",
    user: "ada@example.org",
    ...(status && { status }),
    subject: { run: "fit.1" },
  });
}

const admin = `access_token=${api.adminToken}`;
const entry = {
  time: "2026-11-22T12:00:00",
  action: "stop",
  user: "ada@example.org",
  ip: null,
  subject: { run: "fit.1" },
};

describe("the administrator's view of the server", async () => {
  await runScenarios(api, [
    {
      name: "its sizes, backends and settings",
      url: `/api/admin/server?${admin}`,
      status: 200,
      reply: {
        version: expect.any(String),
        database_bytes: expect.any(Number),
        disk: {
          free_bytes: expect.any(Number),
          total_bytes: expect.any(Number),
          floor_bytes: expect.any(Number),
        },
        backends: [expect.objectContaining({ name: "Fake", away: null })],
        settings: [],
      },
    },
    { name: "too many entries", url: `/api/admin/audit?last=1001&${admin}`, status: 400 },
    {
      name: "the newest entry of the audit log",
      url: `/api/admin/audit?last=1&${admin}`,
      status: 200,
      reply: { items: [{ ...entry, status: 409 }], unreadable_lines: 2 },
    },
    {
      name: "an entry without a status, which was done",
      url: `/api/admin/audit?${admin}`,
      status: 200,
      reply: {
        items: [
          { ...entry, status: 409 },
          { ...entry, status: null },
        ],
        unreadable_lines: 2,
      },
    },
  ]);
});
