import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backendFixture, jobOf, type OpenBackend } from "#backends/backend-fixture";
import { unenforcedNotice } from "#backends/unenforced";
import type { Job } from "#workflow/job/job";

/** The longest argument that Linux accepts, without the final NUL. */
const ARGUMENT_BYTES_MAX = 128 * 1024 - 1;
/** Many arguments in a few jobs: a job takes longer than an argument. */
const RUNS = 3;

/** The promises about programs without a shell, folders and redirected files, for every backend that runs commands. */
export function backendPrograms(name: string, open: OpenBackend): void {
  describe(`${name} keeps its word about programs, folders and files`, () => {
    const the = backendFixture(open);
    const inWorkspace = (file: string) => path.join(the.workspaceFolder, file);
    const content = (file: string) => readFile(inWorkspace(file), "utf8");
    const run = async (change: Partial<Job>) => {
      const job = the.request("exit 99", change);
      await the.backend.submit(job);
      const end = await the.ends.of(job.id);
      return { end, log: String(await the.backend.readLog(job.id, 0, 2 ** 20)) };
    };
    const execute = (argv: readonly [string, ...string[]], change: Partial<Job> = {}) =>
      run({ command: { argv }, ...change });
    const printed = async (words: readonly string[]) => {
      const { end, log } = await execute(["printf", "%s\\0", ...words]);
      expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
      return log.split("\0").slice(0, -1);
    };

    test("a program is executed without a shell, with exactly its arguments", async () => {
      const odd = [
        "",
        " ",
        "-n",
        "--",
        "*",
        "$HOME",
        "`id`",
        "it's",
        'a\n"b"\n',
        "\\",
        "ü€𝄞",
        "=",
        "\x01\x7f\r\t",
      ];
      expect(await printed(odd)).toEqual(odd);
      const long = ["x".repeat(ARGUMENT_BYTES_MAX)];
      expect(await printed(long)).toEqual(long);
    });

    test("any argument arrives as it is", async () => {
      // fast-check's own table of all characters takes a second to build.
      const character = fc.integer({ min: 1, max: 0x10ffff }).map((code) => String.fromCodePoint(code));
      const word = fc.string({ unit: character.filter((text) => text.isWellFormed()) });
      const words = fc.array(word, { minLength: 1, maxLength: 100, size: "max" });
      await fc.assert(
        fc.asyncProperty(words, async (argv) => {
          expect(await printed(argv)).toEqual(argv);
        }),
        { numRuns: RUNS },
      );
    });

    test("a program is found through the job's own PATH", async () => {
      await mkdir(inWorkspace("tools"));
      await writeFile(inWorkspace("tools/echo"), "#!/bin/sh\nprintf 'own %s\\n' \"$1\"\n", { mode: 0o755 });
      const environment = { PATH: `/nowhere:${inWorkspace("tools")}:${process.env["PATH"]}` };
      expect((await execute(["echo", "one"], { environment })).log).toBe("own one\n");
      expect((await execute(["echo", "two"])).log).toBe("two\n");
      // A variable that has a meaning for shells makes some backends take another way.
      expect((await execute(["echo", "x"], { environment: { ...environment, UID: "7" } })).log).toBe(
        "own x\n",
      );
      expect((await execute(["sh", "-c", 'echo "$UID"'], { environment: { UID: "7" } })).log).toBe("7\n");
    });

    test.each([
      ["no-such-program", 127],
      ["./no-such-program", 127],
      ["", 127],
      ["./plain-file", 126],
      ["./", 126],
    ])(
      "a program that cannot be executed ends the job as in a shell, and the log says why: %j",
      async (file, code) => {
        await writeFile(inWorkspace("plain-file"), "text", { mode: 0o644 });
        for (const environment of [{}, { UID: "7" }]) {
          const { end, log } = await execute([file, "x"], { environment });
          expect(end).toMatchObject({ reason: "exited", exitCode: code });
          expect(log).toMatch(
            /: (command not found|No such file or directory|Permission denied|Is a directory)\n$/,
          );
        }
      },
    );

    test.each<[string, Pick<Job, "command">]>([
      ["a program", { command: { argv: ["sh", "-c", "pwd; cat; echo err >&2"] } }],
      ["a script", { command: { script: "pwd; cat; echo err >&2" } }],
    ])("%s starts in its folder, reads its input and writes its outputs", async (_, command) => {
      await mkdir(inWorkspace("deep/er"), { recursive: true });
      await writeFile(inWorkspace("in put"), "input\n");
      await writeFile(inWorkspace("deep/out"), "of an earlier job, and longer than what is written now\n");
      const { end, log } = await run({
        ...command,
        workingFolder: "deep/er",
        stdin: "in put",
        stdout: "deep/out",
        stderr: "-err",
      });
      expect(end).toMatchObject({ reason: "exited", exitCode: 0 });
      expect(await content("deep/out")).toBe(`${inWorkspace("deep/er")}\ninput\n`);
      expect(await content("-err")).toBe("err\n");
      expect(log).toBe("");
    });

    test("a relative program is found from the working folder", async () => {
      await mkdir(inWorkspace("deep"));
      await writeFile(inWorkspace("deep/tool"), "#!/bin/sh\necho tool\n", { mode: 0o755 });
      expect((await execute(["./tool"], { workingFolder: "deep" })).log).toBe("tool\n");
      expect((await run({ command: { script: "./tool" }, workingFolder: "deep" })).log).toBe("tool\n");
    });

    test("what is not redirected goes to the log, and one file takes both outputs", async () => {
      const command = { script: "echo out; echo err >&2" };
      expect((await run({ command, stdout: "out" })).log).toBe("err\n");
      expect((await run({ command, stderr: "err" })).log).toBe("out\n");
      await run({ command, stdout: "both", stderr: "both" });
      expect([await content("out"), await content("err"), await content("both")]).toEqual([
        "out\n",
        "err\n",
        "out\nerr\n",
      ]);
    });

    test.each<Partial<Job>>([
      { workingFolder: "/tmp" },
      { workingFolder: "../x" },
      { stdin: "a/../../x" },
      { stdout: "" },
      { stderr: "a\0b" },
      { stdin: "same", stdout: "same" },
    ])("a path that is not inside the workspace is refused, and the job never starts: %j", async (change) => {
      const job = the.request("echo ran > count", change);
      await expect(the.backend.submit(job)).rejects.toThrow(
        /must be a path inside the workspace|would empty/,
      );
      expect(await the.backend.cancel(job)).toMatchObject({ reason: "not-started" });
      await expect(content("count")).rejects.toThrow("ENOENT");
    });

    test.each<Partial<Job>>([
      { workingFolder: "link" },
      { workingFolder: "folder/link" },
      { workingFolder: "absent" },
      { workingFolder: "file" },
      { stdin: "link/secret" },
      { stdin: "file-link" },
      { stdin: "folder" },
      { stdin: "absent" },
      { stdout: "link/made" },
      { stdout: "file-link" },
      { stdout: "dangling" },
      { stdout: "folder" },
      { stdout: "absent/made" },
      { stderr: "folder/link/made" },
      { stderr: "file-link" },
    ])(
      "no link leads out of the workspace, and what is not there ends the job with a sentence: %j",
      async (change) => {
        const outside = inWorkspace("../outside-of-this");
        await mkdir(inWorkspace("folder"));
        await mkdir(inWorkspace("elsewhere"));
        await writeFile(inWorkspace("elsewhere/secret"), "secret");
        await writeFile(inWorkspace("file"), "kept");
        await symlink(inWorkspace("elsewhere"), inWorkspace("link"));
        await symlink("../elsewhere", inWorkspace("folder/link"));
        await symlink("file", inWorkspace("file-link"));
        await symlink(outside, inWorkspace("dangling"));
        const { end, log } = await run({ command: { script: "echo ran > count" }, ...change });
        expect(end).toMatchObject({ reason: "exited", exitCode: 126 });
        expect(log).toMatch(/^reprise: The job cannot .+: it .+\.\n$/);
        await expect(content("count")).rejects.toThrow("ENOENT");
        await expect(content("elsewhere/made")).rejects.toThrow("ENOENT");
        await expect(readFile(outside)).rejects.toThrow("ENOENT");
        expect(await content("file")).toBe("kept");
      },
    );

    test("a job that asks for unenforced limits gets a notice as the first line of the log", async () => {
      const change: Partial<Job> = {
        network: "none",
        user: { uid: 1000, gid: 0 },
        writable: ["out"],
        mounts: [{ from: "data", at: "/data", mode: "read" }],
        limits: { memoryBytes: 2 ** 30, diskBytes: 2 ** 30 },
      };
      for (const folder of ["out", "data"]) await mkdir(inWorkspace(folder));
      const notice = unenforcedNotice(jobOf("", change), the.backend.capabilities.provides()) ?? "";
      const { log } = await run({ command: { script: "echo ran; echo out > out/made" }, ...change });
      expect(log).toBe(`${notice}ran\n`);
    });
  });
}
