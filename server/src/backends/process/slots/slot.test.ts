import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

/** The number of a user that no machine has. A test that does not run as root is an ordinary user itself. */
const USER = 54_321;
const IS_ROOT = process.getuid?.() === 0;
const SCRIPT = path.join(import.meta.dirname, "slot.sh");

function isStopped(pid: number): boolean {
  return readFileSync(`/proc/${pid}/stat`, "utf8").includes(") T ");
}

/**
 * Tests of moments that cannot be provoked from outside: orders are shell code, which calls the slot's own
 * functions.
 */
describe("a slot", () => {
  let folder: string;
  let slot: ChildProcess;

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "reprise-slot-"));
    mkdirSync(path.join(folder, "slots"));
    start();
  });
  afterEach(() => {
    slot.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  });

  function start(user: { readonly uid?: number; readonly gid?: number } = {}): void {
    slot = spawn("bash", ["--norc", SCRIPT, folder, "boot"], { stdio: ["pipe", "pipe", "ignore"], ...user });
  }

  async function order(code: string, answer = "."): Promise<void> {
    const answered = once(slot.stdout!, "data");
    slot.stdin!.write(`${String(Buffer.byteLength(code)).padStart(8, "0")}${code}`);
    expect(String((await answered)[0])).toBe(answer);
  }

  const begin = (name: string) => `
    folder=${folder} workspace=${folder}
    given() { :; }
    (exec 4>>${folder}/record; begin in_bash "echo ran > ${folder}/${name}")`;

  test("does not start a job that was just declared lost", async () => {
    writeFileSync(path.join(folder, "record"), "\nclaimed 1 2 boot 3 j 0 0 .\n");
    await order(begin("one"));
    expect(readFileSync(path.join(folder, "one"), "utf8")).toBe("ran\n");
    writeFileSync(path.join(folder, "record"), "\nclaimed 1 2 boot 3 j 0 0 .\n\nended - 4 .\n");
    await order(begin("other"));
    expect(existsSync(path.join(folder, "other"))).toBe(false);
    expect(readFileSync(path.join(folder, "record"), "utf8")).toContain("\ngroup ");
  });

  test("a job that stops itself at once has not ended", async () => {
    const [file, job] = [path.join(folder, "pid"), "echo $$ > pid; kill -STOP $$; exit 5"];
    const code = `
      given() { :; }
      eval "real_$(declare -f begin)"
      begin() { unset -f set; real_begin "$@"; }
      # Continues only when the job is stopped. A busy machine may be that late.
      set() {
        if [ "$1" = +m ]; then
          until grep -q ') T ' "/proc/$(<${file})/stat"; do sleep 0.01; done
          : > ${folder}/stopped
        fi
        builtin set "$@"
      }
      attempt job ${folder} ${folder} 0 0 in_bash '${job}'`;
    const ended = order(code, "+");
    await expect.poll(() => existsSync(path.join(folder, "stopped"))).toBe(true);
    expect(isStopped(Number(readFileSync(file, "utf8")))).toBe(true);
    process.kill(Number(readFileSync(file, "utf8")), "SIGCONT");
    await ended;
    expect(readFileSync(path.join(folder, "record"), "utf8")).toContain("\nended 5 ");
  });

  const attemptOf = (job: string) => `given() { :; }; attempt job ${folder} ${folder} 0 0 in_bash '${job}'`;
  const printed = () => readFileSync(path.join(folder, "log"), "latin1");

  test("keeps a zero byte that arrives while the slot is stopped", async () => {
    const late = "sleep 0.3; kill -CONT $PPID";
    await order(attemptOf(`kill -STOP $PPID; printf "\\0\\0rest"; ${late}`), "+");
    expect(printed()).toBe("\0\0rest");
    expect(readFileSync(path.join(folder, "record"), "utf8")).toContain("\nended 0 ");
  });

  test("adds no zero byte to output that other processes of the job have read before", async () => {
    await order(attemptOf("cat /proc/self/maps >/dev/null; printf ab; setsid sleep 0.4 &"), "+");
    expect(printed()).toBe("ab");
  });

  test("keeps output where the kernel does not count what a process reads", async () => {
    await order(`counts_reads=; ${attemptOf('printf "a\\0b"')}`, "+");
    expect(printed()).toBe("a\0b");
  });

  test("removes what a job left in its home and among its temporary files, whatever rights it took away", async () => {
    const attempt = path.join(folder, "attempt");
    for (const name of [attempt, path.join(attempt, "tmp"), path.join(attempt, "scratch")]) mkdirSync(name);
    const job =
      "mkdir -p tmp/a/b scratch/.cache; touch tmp/a/b/file scratch/.cache/file; ln -s / scratch/link; " +
      "chmod 0 tmp/a/b tmp/a tmp scratch/.cache scratch";
    // An ordinary user has no access to a folder of mode 0.
    for (const name of [folder, attempt, path.join(attempt, "tmp"), path.join(attempt, "scratch")])
      if (IS_ROOT) chownSync(name, USER, USER);
    const code = `given() { :; }; attempt job ${attempt} ${attempt} 0 0 in_bash '${job}'`;
    if (IS_ROOT) {
      slot.kill("SIGKILL");
      start({ uid: USER, gid: USER });
    }
    await order(code, "+");
    expect(readFileSync(path.join(attempt, "record"), "utf8")).toContain("\nended 0 ");
    await expect.poll(() => readdirSync(attempt).toSorted()).toEqual(["log", "record"]);
  });

  test("removes them even if the server has gone", async () => {
    const [attempt, gate] = [path.join(folder, "attempt"), path.join(folder, "gate")];
    for (const name of [attempt, path.join(attempt, "scratch")]) mkdirSync(name);
    const job = `touch scratch/file; until [ -e ${gate} ]; do sleep 0.01; done`;
    const code = `given() { :; }; attempt job ${attempt} ${attempt} 0 0 in_bash '${job}'`;
    slot.stdin!.end(`${String(Buffer.byteLength(code)).padStart(8, "0")}${code}`);
    slot.stdout!.destroy();
    await expect.poll(() => existsSync(path.join(attempt, "scratch/file"))).toBe(true);
    const left = once(slot, "exit");
    writeFileSync(gate, "");
    expect(await left).toEqual([null, "SIGPIPE"]);
    expect(readdirSync(attempt).toSorted()).toEqual(["log", "record"]);
    expect(readdirSync(path.join(folder, "slots"))).toEqual([]);
  });

  test("leaves empty folders of a job alone, without another process", async () => {
    for (const name of ["tmp", "scratch"]) mkdirSync(path.join(folder, name));
    await order(`given() { :; }; rm() { : >${folder}/removed; }; folder=${folder}; clean_up`);
    expect(readdirSync(folder).toSorted()).toEqual(["scratch", "slots", "tmp"]);
  });

  test("renews itself in the same process, and takes no order for another slot", async () => {
    const count = 210;
    for (let turn = 0; turn < count; turn += 1) await order(`echo "$$ ü" >> ${folder}/seen`);
    const seen = readFileSync(path.join(folder, "seen"), "utf8").trim().split("\n");
    expect(seen).toEqual(Array.from({ length: count }, () => `${slot.pid} ü`));
    await order(`echo $jobs > ${folder}/jobs`);
    expect(Number(readFileSync(path.join(folder, "jobs"), "utf8"))).toBeLessThan(200);
  });

  test("exits when no server is left to send orders", async () => {
    await order(":");
    const left = once(slot, "exit");
    slot.stdin!.end("00000010half");
    expect(await left).toEqual([0, null]);
  });
});
