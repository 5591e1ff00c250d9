import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Backend, JobRequest } from "#backends/backend";
import { watchEnds } from "#backends/backend-fixture";
import { type LocalFixture, processesOf, withLocal } from "#backends/local/local-fixture";

/**
 * The things that a job can put in the place of a file of its attempt, as shell code, and how they are then reported.
 */
const DAMAGES = [
  { what: "a named pipe", make: (file: string) => `mkfifo ${file}`, found: "A named pipe" },
  { what: "a folder", make: (file: string) => `mkdir -p ${file}/full`, found: "A folder" },
  { what: "a dangling link", make: (file: string) => `ln -s /nowhere ${file}`, found: "A link" },
  { what: "a link to a file", make: (file: string) => `ln -s $PWD/other ${file}`, found: "A link" },
  { what: "a link to /dev/zero", make: (file: string) => `ln -s /dev/zero ${file}`, found: "A link" },
] as const;

const RECORD_DAMAGES = [
  ...DAMAGES,
  {
    what: "a huge sparse file",
    make: (file: string) => `truncate -s 5G ${file}`,
    found: "A file that is longer",
  },
  { what: "nothing", make: () => ":", found: "Nothing" },
  {
    what: "an impossible processor time",
    make: (file: string) =>
      `{ cat record.was; echo; echo 99999999999999999999m1.000s 0m0.000s; } > ${file}; rm record.was`,
    found: "A line that Reprise does not write",
  },
] as const;

const SECRET = "the token of the administrator";
const own = (name: "record" | "log") => `$HOME/../${name}`;

/** A job that damages its attempt with `make`, then runs `then`. */
function damaging(name: "record" | "log", make: (file: string) => string, then: string): string {
  const keep = name === "record" ? `cp ${own(name)} record.was; ` : "";
  return `${keep}rm ${own(name)}; ${make(own(name))}; echo done >> done; ${then}`;
}

const TIMEOUT_MS = 60_000;

describe("a job that damages its own attempt", { concurrent: true, timeout: TIMEOUT_MS }, () => {
  const prepare = (local: LocalFixture) => writeFileSync(path.join(local.workspaceFolder, "other"), SECRET);

  async function expectGone(local: LocalFixture, backend: Backend, job: JobRequest) {
    expect(await processesOf([job.id])).toEqual([]);
    expect(String(await backend.readLog(job.id, 0, 1000))).not.toContain(SECRET);
    await backend.remove([job.id]);
    expect(existsSync(path.join(local.folder, job.id))).toBe(false);
    // It can have run only once.
    expect(readFileSync(path.join(local.workspaceFolder, "done"), "utf8")).toBe("done\n");
  }

  for (const name of ["record", "log"] as const) {
    for (const { what, make, found } of name === "record" ? RECORD_DAMAGES : DAMAGES) {
      test(
        `${name}: ${what}: it is permanently lost when it ends, and the server continues`,
        withLocal(async (local) => {
          prepare(local);
          const backend = local.open();
          const job = local.request(damaging(name, make, "(setsid sleep 1000 &)"));
          const ended = watchEnds(backend).of(job.id);
          await backend.submit(job);
          const end = await ended;
          expect(end).toMatchObject({ reason: "lost", exitCode: null });
          expect(end.detail).toContain(found);
          expect(await backend.submit(job)).toEqual({ status: "ended", end });
          expect(await local.open().submit(job)).toEqual({ status: "ended", end });
          expect((await local.run(backend, "exit 3")).end.exitCode).toBe(3);
          await expectGone(local, backend, job);
        }),
      );

      test(
        `${name}: ${what}: it is ended by a stop while it runs`,
        withLocal(async (local) => {
          prepare(local);
          const backend = local.open();
          const job = local.request(damaging(name, make, "sleep 1000"));
          await backend.submit(job);
          await local.written("done");
          const end = await backend.cancel(job);
          if (name === "record")
            expect(end).toMatchObject({ reason: "lost", detail: expect.stringContaining(found) });
          await expectGone(local, backend, job);
        }),
      );

      test(
        `${name}: ${what}: the next server finds it, and a job that still runs is not begun again`,
        withLocal(async (local) => {
          prepare(local);
          const first = local.open();
          const job = local.request(damaging(name, make, "sleep 1000"));
          await first.submit(job);
          await local.written("done");
          await first.close();
          const next = local.open();
          const state = await next.submit(job);
          if (name === "log") {
            expect(state).toEqual({ status: "running" });
            expect(String(await next.readLog(job.id, 0, 1000))).toMatch(
              new RegExp(`^The log cannot be read. ${found}`),
            );
            expect(await next.logSize(job.id)).toBeGreaterThan(20);
            await next.cancel(job);
          } else {
            expect(state).toMatchObject({ status: "ended", end: { reason: "lost" } });
          }
          await expectGone(local, next, job);
        }),
      );
    }
  }
});
