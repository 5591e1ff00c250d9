import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const SCRIPT = readFileSync(path.join(import.meta.dirname, "keeper.sh"), "utf8");

function sourceOf(name: string): string {
  return new RegExp(String.raw`^${name}\(\) \{\n.*?^\}\n`, "ms").exec(SCRIPT)![0];
}

/** Tests of moments that cannot be provoked from outside: these call the keeper's own functions. */
describe("the keeper", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), "reprise-keeper-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const bash = (code: string) => execFileSync("bash", ["--norc", "-c", code], { encoding: "utf8" });

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
      ${sourceOf("end_if_not_made")}
      end_if_not_made`;
    expect(bash(code)).toBe(printed);
  });

  /** Ends a job by force, and returns what is done for it. `claim` is what its slot is doing after SIGTERM. */
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
});
