import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const SCRIPTS = ["keeper.sh", "keeper-measure.sh", "keeper-end.sh"]
  .map((name) => readFileSync(path.join(import.meta.dirname, name), "utf8"))
  .join("");

function sourceOf(name: string): string {
  return new RegExp(String.raw`^${name}\(\) \{\n.*?^\}\n`, "ms").exec(SCRIPTS)![0];
}

/** Tests of moments that cannot be provoked from outside, by calls of the keeper's own functions. */
describe("the keeper", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "reprise-keeper-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const bash = (code: string) =>
    execFileSync("bash", ["--norc", "-c", code], { encoding: "utf8", stdio: "pipe", timeout: 10_000 });

  test.each([
    ["a line and more", "printf 'first\\nsecond\\n' >", "first"],
    ["a line without its end", "printf first >", "first"],
    ["nothing", ":>", ""],
    ["zeros without end", "truncate -s 1T", ""],
  ])("reads the first line of a file that has %s", (_name, write, line) => {
    const file = path.join(folder, "file");
    const code = `${write} ${file}; ${sourceOf("read_line")} read_line said ${file}; echo "[$said]"`;
    expect(bash(code)).toBe(`[${line}]\n`);
  });

  test.each([
    [
      "does not give up a job whose container is made while it looks for the monitor",
      "echo 1 > $root/container.pid",
      "",
    ],
    ["gives up a job whose container is not made", ":", "not-started\n"],
  ])("%s", (_name, meanwhile, printed) => {
    writeFileSync(path.join(folder, "container"), '{"runtime":{"name":"podman"}}');
    const code = `
      root=${folder} id=. age=100 container_seconds=0
      end_job() { echo "$1"; }
      grep() { ${meanwhile}; echo /proc/$$/cmdline; }
      ${sourceOf("read_line")}
      ${sourceOf("end_if_not_made")}
      end_if_not_made`;
    expect(bash(code)).toBe(printed);
  });

  /**
   * Ends a job by force, and returns the resulting actions. `claim` is the state of the job's slot after
   * SIGTERM.
   */
  const endedFor = (reason: string, claim = "this") => `
    host=h id=j group=77 claim=this measured_max=500 quick_max=10 kill_rounds_max=1
    find_job() { record=file; }
    read_record() { claim=${claim}; }
    set_group_to_ask() { group_to_ask=$group; }
    sleep() { echo sleep; }
    kill() { echo kill "$1"; }
    grep() { :; }
    record_time() { echo time "$1"; }
    ${sourceOf("is_running")}
    ${sourceOf("end_by_force")}
    end_by_force slot this ${reason}`;
  const lines = (code: string) => bash(code).trim().split("\n");

  test("kills a job that is too large or too many after a short look at its processor time", () => {
    for (const reason of ["out-of-memory", "process-limit"])
      expect(lines(endedFor(reason))).toEqual(["time 10", "kill -KILL"]);
  });

  test("asks any other job to end first", () => {
    const all = ["time 500", "kill -TERM", "sleep", "time 500", "kill -KILL"];
    expect(lines(endedFor("time-limit"))).toEqual(all);
  });

  test("writes nothing into the record of the next job of a slot", () => {
    expect(lines(endedFor("time-limit", "other"))).toEqual(["time 500", "kill -TERM", "sleep"]);
  });

  /** Ends job `a` twice and job `b` once, after the next look has found the jobs of these claims. */
  const endedAfter = (claims: string) => `
    ending=' ' record=/dev/null
    end_by_force() { echo "$2"; }
    ${sourceOf("end_job")}
    ${sourceOf("forget_ended")}
    end() { claim="claimed $1 ." && end_job time-limit && wait; }
    end a; end a; end b
    claims=(${claims})
    forget_ended
    echo "$ending"
    end a`;

  test("ends each job once, and remembers only those that are still found", () => {
    const [first, second] = ["claimed a .", "claimed b ."];
    const found = bash(endedAfter(`"claimed c ." "${first}"`));
    expect(found).toBe(`${first}\n${second}\n ${first} \n`);
    expect(bash(endedAfter(""))).toBe(`${first}\n${second}\n \n${first}\n`);
  });

  /** Counts the files of a job with a limit of `limit` files, after the given function and call. */
  const counting = (limit: number, code: string) => {
    for (const place of ["workspace", "scratch", "tmp"]) {
      mkdirSync(path.join(folder, "job", place), { recursive: true });
      writeFileSync(path.join(folder, "job", place, "file"), "");
    }
    return `
      root=${folder} slot=77 id=job file_limit=${limit} too_many_files=3 counter=() counted=() count_began=() count_after=()
      end_job() { echo "$*"; }
      ${["is_busy", "count_files", "compare_files", "forget_count", "forget_counts"].map(sourceOf).join("")}
      finish() { while is_busy "\${counter[slot]}"; do sleep 0.01; done; count_files; }
      ${code}`;
  };

  test("ends a job with more files than it may have, and no other", () => {
    expect(bash(counting(2, "count_files; finish"))).toBe("file-limit 3\n");
    expect(bash(counting(3, "count_files; finish"))).toBe("");
  });

  test("continues a count that its job has stopped", () => {
    const code = `
      find() { sleep 0.2; command find "$@"; }
      count_files
      kill -STOP -- "-\${counter[slot]}"
      finish`;
    expect(bash(counting(2, code))).toBe("file-limit 3\n");
  });

  test.each([
    ["the next job of its slot comes", "id=job; count_files; finish", "file-limit 3\n"],
    ["its job has ended", "slots=(/slots/7 /slots/777); forget_counts; count_files() { :; }; finish", ""],
  ])("kills a count once %s", (_when, next, printed) => {
    const code = `
      find() { sleep 1000; }
      id=first
      count_files
      first=\${counter[slot]}
      kill -STOP -- "-$first"
      unset -f find
      ${next}
      wait "$first"
      echo $?`;
    expect(bash(counting(2, code))).toBe(`${printed}137\n`);
  });

  test("takes over how many processes carry each mark, however much that is, and if a job has stopped the count", () => {
    const marks = 3000;
    const code = `
      host=h coming=
      grep() { for ((i = 1; i <= ${marks}; i++)); do printf 'REPRISE_JOB_MARK=h/%s\\0' {1..2}-$i; done; }
      ${["is_busy", "start_marker", "count_marks", "read_marks", "number_of"].map(sourceOf).join("")}
      start_marker
      kill -STOP -- "-$marker"
      while [ "$marker" ]; do read_marks; done
      wc -l <<<"$marks"
      number_of REPRISE_JOB_MARK=h/2-${marks} <<<"$marks"
      number_of REPRISE_JOB_MARK=h/2-${marks}0 <<<"$marks"`;
    expect(lines(code).map(Number)).toEqual([2 * marks + 1, 1, 0]);
  });
});
