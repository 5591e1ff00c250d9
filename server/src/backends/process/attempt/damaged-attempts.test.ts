import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Backend, JobRequest } from "#backends/backend";
import { watchEnds } from "#backends/backend-fixture";
import { type LocalFixture, processesOf, withLocal } from "#backends/local/local-fixture";

/**
 * Entries that a job can put in the place of a file of its attempt, as shell code, and the words in the
 * report.
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

/** A job that damages its attempt with `make`, and afterwards runs `then`. */
function damaging(name: "record" | "log", make: (file: string) => string, then: string): string {
  const keep = name === "record" ? `cp ${own(name)} record.was; ` : "";
  return `${keep}rm ${own(name)}; ${make(own(name))}; echo done >> done; ${then}`;
}

describe("a job that damages the attempt folder", { concurrent: true }, () => {
  const prepare = (local: LocalFixture) => writeFileSync(path.join(local.workspaceFolder, "other"), SECRET);

  async function expectGone(local: LocalFixture, backend: Backend, job: JobRequest) {
    expect(await processesOf([job.id])).toEqual([]);
    expect(String(await backend.readLog(job.id, 0, 1000))).not.toContain(SECRET);
    await backend.remove([job.id]);
    expect(existsSync(path.join(local.folder, job.id))).toBe(false);
    // The job can have run only once.
    expect(readFileSync(path.join(local.workspaceFolder, "done"), "utf8")).toBe("done\n");
  }

  test.each([
    ...DAMAGES,
    {
      what: "a huge sparse file",
      make: (file: string) => `truncate -s 3G ${file}`,
      found: "A file that is longer",
    },
    ...[
      "{}",
      "[]",
      "null",
      '{"runtime":{"name":"podman","program":"/bin/false"},"image":"a","digest":"b"}',
    ].map((text) => ({
      what: text,
      make: (file: string) => `echo '${text}' > ${file}`,
      found: "A line that Reprise does not write",
    })),
  ])("container: $what: it is lost, whether it ends or is stopped", ({ make, found }) =>
    withLocal(async (local) => {
      prepare(local);
      const backend = local.open();
      const damage = make("$HOME/../container");
      const { id, end } = await local.run(backend, `${damage}; exit 126`);
      expect(end).toMatchObject({ reason: "lost", detail: expect.stringContaining(found) });
      const job = local.request(`${damage}; echo done >> done; sleep 1000`);
      await backend.submit(job);
      await local.written("done");
      expect(await backend.cpuMsSoFar!([job.id])).toBeGreaterThanOrEqual(0);
      expect(await backend.cancel(job)).toMatchObject({ reason: "lost", exitCode: null });
      expect(await local.open().submit(job)).toMatchObject({ status: "ended", end: { reason: "lost" } });
      expect(await backend.export(id, { endCounts: true })).toHaveLength(2);
      await expectGone(local, backend, job);
    })(),
  );

  test(
    "a pipe in place of the pid of a container does not keep the keeper from other jobs",
    withLocal(async (local) => {
      const backend = local.open();
      const hostile = local.request(
        "mkfifo $HOME/../container.pid; : > $HOME/../container; echo up > up; sleep 1000",
      );
      await backend.submit(hostile);
      await local.written("up");
      const { end } = await local.run(backend, "sleep 1000", { limits: { timeMs: 2500 } });
      expect(end).toMatchObject({ reason: "time-limit" });
      await backend.cancel(hostile);
    }),
  );

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
