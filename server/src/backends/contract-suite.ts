import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import {
  appears,
  backendFixture,
  type OpenBackend,
  processesWith,
  uniqueSleep,
} from "#backends/backend-fixture";
import { backendPrograms } from "#backends/program-suite";
import { backendStates } from "#backends/state-suite";

/**
 * The promises of `backend.ts`, for every backend that runs commands. The backend under test must limit output to
 * 1 MiB.
 */
export function backendContract(name: string, open: OpenBackend): void {
  backendStates(name, open);
  backendPrograms(name, open);

  describe(`${name} keeps its word about commands`, () => {
    const the = backendFixture(open);
    const log = async (id: string, from = 0, max = 100_000) =>
      String(await the.backend.readLog(id, from, max));

    test("a command runs in the workspace, and its exit code and output are kept", async () => {
      const job = the.request("echo out; echo err >&2; pwd > where; exit 3");
      await the.backend.submit(job);
      const end = await the.ends.of(job.id);
      expect(end).toMatchObject({ reason: "exited", exitCode: 3 });
      expect(await log(job.id)).toBe("out\nerr\n");
      expect(await the.lines("where")).toEqual([the.workspaceFolder]);
    });

    test("it runs once, however often and by however many servers it is submitted", async () => {
      const job = the.request("echo ran >> count");
      const next = await the.reopen();
      await Promise.all([the.backend, next.backend, the.backend].map((backend) => backend.submit(job)));
      const end = await the.ends.of(job.id);
      await Promise.all([the.backend, next.backend].map((backend) => backend.submit(job)));
      expect(await the.backend.submit(job)).toMatchObject({ status: "ended", end });
      expect(await the.lines("count")).toEqual(["ran"]);
    });

    test("a command that was killed by a signal has 128 more than the signal", async () => {
      const job = the.request("kill -TERM $$");
      await the.backend.submit(job);
      expect(await the.ends.of(job.id)).toMatchObject({ reason: "exited", exitCode: 143 });
    });

    test("cancel ends the whole process tree, even processes outside the job's group and session", async () => {
      const long = uniqueSleep();
      const daemon = `setsid bash -c '(exec ${long} < /dev/null > /dev/null 2>&1) & echo up > daemon' &`;
      const job = the.request(
        `${daemon} (setsid ${long} & echo up > far); ${long} & echo up > near; echo up > up; wait`,
      );
      await the.backend.submit(job);
      const files = ["far", "near", "daemon", "up"];
      await Promise.all(files.map((file) => appears(path.join(the.workspaceFolder, file))));
      const end = await the.backend.cancel(job);
      expect(end.reason).toBe("cancelled");
      expect(await the.ends.of(job.id)).toEqual(end);
      expect(await processesWith(long)).toEqual([]);
    });

    test("a job that is cancelled without being submitted never starts", async () => {
      const job = the.request("echo ran > count");
      const end = await the.backend.cancel(job);
      expect(await the.backend.submit(job)).toMatchObject({ status: "ended", end });
      await expect(the.lines("count")).rejects.toThrow("ENOENT");
    });

    test("a time limit ends the job with that reason", async () => {
      const script = "trap '' TERM; echo began; while :; do sleep 0.05; done";
      // Long enough for a container to start.
      const job = the.request(script, { limits: { timeMs: 2000 } });
      await the.backend.submit(job);
      expect(await the.ends.of(job.id)).toMatchObject({ reason: "time-limit" });
      expect(await log(job.id)).toBe("began\n");
    });

    test("the output limit ends the job with the reason", async () => {
      const job = the.request("yes reprise");
      await the.backend.submit(job);
      expect(await the.ends.of(job.id)).toMatchObject({ reason: "output-limit" });
      expect(await log(job.id, 0, 16)).toBe("reprise\nreprise\n");
    });

    test("a memory limit ends the job with that reason", async () => {
      if (!the.backend.capabilities.provides().includes("memory-limit")) return;
      const script = "echo began; x=$(head -c 100000000 /dev/zero | tr '\\0' x); sleep 1000; :";
      const job = the.request(script, { limits: { memoryBytes: 64 * 2 ** 20 } });
      await the.backend.submit(job);
      const end = await the.ends.of(job.id);
      expect(end).toMatchObject({ reason: "out-of-memory" });
      // The runtime removes a container together with how much it used.
      const sentence =
        /^Out of memory: (used [\d.]+ MiB of|(?:docker|podman|the kernel) ended it at its limit of) 64 MiB\.$/;
      expect(end.detail).toMatch(sentence);
      expect(await log(job.id)).toBe("began\n");
    });

    test("a job sees its own variables, and nothing of the server's environment", async () => {
      process.env["REPRISE_TEST_SECRET"] = "leaked";
      const environment = { REANA_WORKSPACE: "w", ODD: "a b'\n\"c", command: "echo hijacked", UID: "12" };
      const job = the.request("env; echo home=$HOME; cat", { environment });
      await the.backend.submit(job);
      await the.ends.of(job.id);
      delete process.env["REPRISE_TEST_SECRET"];
      const printed = await log(job.id);
      expect(printed).toContain("REANA_WORKSPACE=w\n");
      expect(printed).toContain("ODD=a b'\n\"c\n");
      expect(printed).toContain("UID=12\n");
      expect(printed).not.toContain("leaked");
      // The machine sets one of these variables, a container runtime sets more.
      const ofPlace = ["LANG", "HOSTNAME", "TERM", "container", ...the.ownVariables];
      const names = [...printed.matchAll(/^(\w+)=/gm)].flatMap(([, variable]) =>
        ofPlace.includes(variable!) ? [] : variable!,
      );
      const own = ["HOME", "PATH", "PWD", "REPRISE_JOB_ID", "REPRISE_JOB_MARK", "SHLVL", "_", "home"];
      expect(new Set(names)).toEqual(new Set([...own, ...Object.keys(environment)]));
    });

    test.each([
      ["variables", [], "value, "],
      ["files", [["key", Buffer.from("content")]], "value, content"],
    ] as const)("a job gets the %s secrets of the user", async (_kind, files, printed) => {
      const job = the.request('printf %s "$PASSWORD, $(cat "$REANA_SECRETS_DIR/key" 2> /dev/null)"');
      const secrets = { environment: { PASSWORD: "value" }, files: new Map(files) };
      await the.backend.submit({ ...job, secrets });
      expect(await the.ends.of(job.id)).toMatchObject({ reason: "exited", exitCode: 0 });
      expect(await log(job.id)).toBe(printed);
    });

    test("the home of a job is a separate folder, outside the workspace", async () => {
      const [one, other] = [the.request("cd && pwd && touch x && ls"), the.request("cd && pwd && ls")];
      for (const job of [one, other]) {
        await the.backend.submit(job);
        expect(await the.ends.of(job.id)).toMatchObject({ exitCode: 0 });
      }
      expect(await log(one.id)).toMatch(/\nx\n$/);
      expect(await log(other.id)).toMatch(/^.+\n$/);
      expect(await log(one.id)).not.toContain(the.workspaceFolder);
    });

    test("a command of 300 kB and one with quotes and newlines arrive as they are", async () => {
      const long = the.request(`: ${"x".repeat(300_000)}\necho long`);
      const odd = the.request("printf '%s\\n' \"it's\" 'a\n\"b\"' \\\\ '$x' ü");
      await the.backend.submit(long);
      await the.backend.submit(odd);
      expect(await the.ends.of(long.id)).toMatchObject({ exitCode: 0 });
      expect(await the.ends.of(odd.id)).toMatchObject({ exitCode: 0 });
      expect(await log(long.id)).toBe("long\n");
      expect(await log(odd.id)).toBe('it\'s\na\n"b"\n\\\n$x\nü\n');
    });

    test("a log is read in parts, from either end, while the job runs and afterwards", async () => {
      const job = the.request("printf 0123456789; echo up > up; sleep 1000");
      await the.backend.submit(job);
      await appears(path.join(the.workspaceFolder, "up"));
      // Output may arrive a moment after the job has printed.
      await expect.poll(() => the.backend.logSize(job.id)).toBe(10);
      for (const isRunning of [true, false]) {
        expect(await log(job.id, 0, 4)).toBe("0123");
        expect(await log(job.id, 4)).toBe("456789");
        expect(await log(job.id, -3)).toBe("789");
        expect(await log(job.id, -30)).toBe("0123456789");
        expect(await log(job.id, 50)).toBe("");
        expect(await the.backend.logSize(job.id)).toBe(10);
        if (isRunning) await the.backend.cancel(job);
      }
    });

    test("a log has the exact bytes that were printed", async () => {
      const job = the.request("printf '\\0\\377\\200\\r\\n\\033[0m'");
      await the.backend.submit(job);
      await the.ends.of(job.id);
      expect(await the.backend.readLog(job.id, 0, 100)).toEqual(
        Buffer.from([0, 0xff, 0x80, 13, 10, 0x1b, 0x5b, 0x30, 0x6d]),
      );
    });

    test("leftovers of a job in the background can be ended", async () => {
      const long = uniqueSleep();
      const job = the.request(`setsid ${long} & sleep 0.05`);
      await the.backend.submit(job);
      await the.ends.of(job.id);
      await the.backend.endLeftovers([job.id]);
      expect(await processesWith(long)).toEqual([]);
    });

    test("a command that holds a NUL is refused and never starts", async () => {
      const job = the.request("echo a\0b");
      await expect(the.backend.submit(job)).rejects.toThrow("NUL");
      expect(await the.backend.cancel(job)).toMatchObject({ reason: "not-started" });
    });

    test("a copy of an ended job has its end and its log, unless the end must not count there", async () => {
      const job = the.request("echo copied; exit 3");
      await the.backend.submit(job);
      const end = await the.ends.of(job.id);
      const whole = await the.openCopy(await the.backend.export(job.id, { endCounts: true }));
      expect(await whole.submit(job)).toMatchObject({ status: "ended", end });
      expect(String(await whole.readLog(job.id, 0, 100))).toBe("copied\n");
      const doubtful = await the.openCopy(await the.backend.export(job.id, { endCounts: false }));
      expect(await doubtful.submit(job)).toMatchObject({ status: "ended", end: { reason: "lost" } });
    });

    test("a copy of a running job is lost and runs no second time, and the job itself continues", async () => {
      const job = the.request("echo up > up; read -r code < gate; exit $code");
      execFileSync("mkfifo", [path.join(the.workspaceFolder, "gate")]);
      await the.backend.submit(job);
      await appears(path.join(the.workspaceFolder, "up"));
      const copy = await the.openCopy(await the.backend.export(job.id, { endCounts: true }));
      expect(await copy.submit(job)).toMatchObject({ status: "ended", end: { reason: "lost" } });
      await writeFile(path.join(the.workspaceFolder, "gate"), "4\n");
      expect(await the.ends.of(job.id)).toMatchObject({ reason: "exited", exitCode: 4 });
    });

    test("removed jobs leave no files", async () => {
      const job = the.request("echo gone");
      await the.backend.submit(job);
      await the.ends.of(job.id);
      await the.backend.remove([job.id]);
      expect(await log(job.id)).toBe("");
      expect(await the.backend.export(job.id, { endCounts: true })).toEqual([]);
    });
  });
}
