import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { watchEnds } from "#backends/backend-fixture";
import { processesOf, withLocal } from "#backends/local/local-fixture";

describe("the output of a job", { concurrent: true }, () => {
  test.each([
    ["echo one; echo two > /dev/stderr; echo three", "one\ntwo\nthree\n"],
    [
      "echo one; echo two > /dev/stdout; bash -c 'echo three > /dev/stderr'; echo four >&2",
      "one\ntwo\nthree\nfour\n",
    ],
    ["echo one; echo two > /proc/self/fd/1; : > /dev/stdout; echo three", "one\ntwo\nthree\n"],
    ["printf 'a\\0b\\n\\377'; printf c >> /dev/stderr", "a\0b\n\ufffdc"],
    ["printf '\\0a'", "\0a"],
    ["printf '\\n\\0'", "\n\0"],
    ["printf '\\303\\244'", "ä"],
    ["printf one; sleep 0.3; printf '\\0two'", "one\0two"],
    ["exec >&- 2>&-; sleep 0.3", ""],
    // The slot reads the first 256 bytes itself.
    ["printf '%0255d\\0' 1", `${"1".padStart(255, "0")}\0`],
    ["printf '%0256d' 1", "1".padStart(256, "0")],
    ["printf '%0256d\\0\\0' 1", `${"1".padStart(256, "0")}\0\0`],
    ["printf '%0257d' 1", "1".padStart(257, "0")],
  ])("is kept, even after the job reopens the output: %j", (script, log) =>
    withLocal(async (local) => {
      expect(await local.run(local.open(), script)).toMatchObject({ end: { exitCode: 0 }, log });
    })(),
  );

  test(
    "is complete to the last byte once its end is known",
    withLocal(async (local) => {
      const backend = local.open();
      const { id } = await local.run(backend, "head -c 30000000 /dev/zero; echo end");
      expect(String(await backend.readLog(id, 30_000_000, 100))).toBe("end\n");
    }),
  );

  test(
    "the end does not wait for a detached process that keeps printing",
    withLocal(async (local) => {
      const { id, end, log } = await local.run(
        local.open(),
        "echo one; setsid sleep 1000 & sleep 0.1; echo two",
      );
      expect({ end, log }).toMatchObject({ end: { reason: "exited", exitCode: 0 }, log: "one\ntwo\n" });
      expect(await processesOf([id])).toHaveLength(1);
    }),
  );

  test(
    "a process that still prints does not delay a cancellation",
    withLocal(async (local) => {
      const backend = local.open();
      const job = local.request("setsid sleep 1000 & echo up > up; sleep 1000");
      await backend.submit(job);
      await local.written("up");
      expect(await backend.cancel(job)).toMatchObject({ reason: "cancelled" });
      expect(await processesOf([job.id])).toEqual([]);
    }),
  );

  test(
    "is lost if its reader is killed, and the job fails",
    withLocal(async (local) => {
      const backend = local.open();
      const ends = watchEnds(backend);
      const job = local.request(
        "echo one; echo $PPID > slot; while [ ! -e gone ]; do sleep 0.02; done; echo two; exit 0",
      );
      await backend.submit(job);
      const slot = await local.written("slot");
      while ((await backend.logSize(job.id)) < "one\n".length) await delay(5);
      const children = await readFile(`/proc/${slot}/task/${slot}/children`, "utf8");
      for (const pid of children.trim().split(" ")) {
        if ((await readFile(`/proc/${pid}/comm`, "utf8")) === "cat\n") process.kill(Number(pid), "SIGKILL");
      }
      await writeFile(path.join(local.workspaceFolder, "gone"), "");
      expect(await ends.of(job.id)).toMatchObject({ reason: "output-lost" });
      expect(String(await backend.readLog(job.id, 0, 100))).toBe("one\n");
    }),
  );
});
