import { writeSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { openPostgres } from "#store/dialects/postgres";
import { hasPostgres, NEEDS_POSTGRES, startPostgresServer } from "#store/dialects/postgres-server-suite";
import { newSeed, type OwnDatabase, soak } from "./soak.ts";
import { testUnless } from "#plumbing/needs-suite";

/** 2,000 runs of 5 jobs each while the server is killed every 5 to 10 seconds; the short form is soak.slow.test.ts. */
const LONG = { runs: 2000, killsMin: 20, people: 16, killAfterMs: [5000, 10_000] as const };

test("2,000 runs on SQLite survive a server that is killed every few seconds", async () => {
  await soakLong(undefined);
});

testUnless(hasPostgres() ? undefined : NEEDS_POSTGRES)(
  "and so they do on PostgreSQL, which is restarted too",
  async () => {
    const server = await startPostgresServer();
    afterAll(() => server.remove());
    const url = server.url();
    await soakLong({
      environment: { REPRISE_DATABASE: url },
      open: () => openPostgres(url),
      restart: () => server.restart(),
    });
  },
);

async function soakLong(database: OwnDatabase | undefined): Promise<void> {
  const seed = newSeed();
  tell(`SOAK_SEED=${seed}`);
  const { broken, totals } = await soak({ ...LONG, seed, ...(database && { database }) });
  tell(`SOAK_SEED=${seed}: ${JSON.stringify(totals)}, ${broken.length} promises broken`);
  expect(broken, `SOAK_SEED=${seed}`).toEqual([]);
}

/** Writes past vitest, which hides the output of passing tests. */
function tell(line: string): void {
  writeSync(2, `${line}\n`);
}
