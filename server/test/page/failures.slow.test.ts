import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { client } from "../support/real-server.ts";
import { expectAccessible, newVisitor, signIn, stage, whyNoBrowser } from "./browser.ts";
import { describeUnless } from "#plumbing/needs-suite";

interface Failure {
  readonly name: string;
  readonly command: string;
  /** More of the step, such as a limit. */
  readonly step?: Readonly<Record<string, unknown>>;
  /** The line that a reader looks for: of the log, or of the page if the job did not say anything. */
  readonly line: string | RegExp;
}

/** Returns a command that prints the lines and exits with the code. */
function printing(code: number, ...lines: readonly string[]): string {
  return `seq -f 'event %g' 300; printf '%s\\n' ${lines.map((line) => `'${line.replaceAll("'", `'\\''`)}'`).join(" ")} >&2; exit ${code}`;
}

const FAILURES: readonly Failure[] = [
  { name: "missing-program", command: "fitt events.root", line: /fitt: (command )?not found/ },
  {
    name: "python-exception",
    command: printing(1, "Traceback (most recent call last):", '  File "fit.py", line 4', "KeyError: 17"),
    line: "KeyError: 17",
  },
  {
    name: "bare-exception",
    command: printing(1, "Traceback (most recent call last):", "    assert gain", "AssertionError"),
    line: "AssertionError",
  },
  {
    name: "failing-test",
    command: printing(1, "FAILED test_fit.py::test_mean - assert 90 == 91", "===== 1 failed in 0.3s ====="),
    line: "FAILED test_fit.py::test_mean - assert 90 == 91",
  },
  {
    name: "out-of-memory",
    command: "x=$$(head -c 99999999 /dev/zero | tr '\\0' x); sleep 60; :",
    step: { kubernetes_memory_limit: "64Mi" },
    line: /exceeded its memory limit and was ended\. Out of memory: used .* of 64 MiB/,
  },
  {
    name: "time-limit",
    command: "echo working; sleep 60",
    step: { kubernetes_job_timeout: 1 },
    line: /exceeded its time limit/,
  },
  { name: "missing-input", command: "wc -l data/missing.csv", line: /data\/missing\.csv.*No such file/ },
  {
    name: "refused-by-image",
    command: "true",
    step: { environment: "julia:1" },
    line: /No environment of this server stands in for the image julia:1/,
  },
  {
    name: "refused-by-backend",
    command: "true",
    step: { compute_backend: "htcondorcern" },
    line: /htcondorcern/,
  },
  {
    name: "refused-by-parameter",
    command: "fit $events",
    line: /uses the parameter "events", which is not defined/,
  },
  { name: "lost-job", command: "kill -KILL $$PPID; sleep 60", line: /was lost/ },
  { name: "killed", command: "kill -KILL $$$$", line: /was ended by signal 9/ },
  { name: "crash", command: "kill -SEGV $$$$", line: /was ended by signal 11/ },
  { name: "no-word", command: "exit 3", line: /its command exited with code 3/ },
  { name: "not-executable", command: "echo 1 > fit.sh; ./fit.sh", line: /fit\.sh.*Permission denied/ },
  { name: "full-disk", command: "cat /proc/version > /dev/full", line: /No space left on device/ },
  {
    name: "compiled",
    command: printing(
      2,
      "cc: error: fit.c: No such file or directory",
      "make: *** [Makefile:2: fit] Error 1",
    ),
    line: "cc: error: fit.c: No such file or directory",
  },
  {
    name: "bad-alloc",
    command: printing(
      134,
      "terminate called after throwing an instance of 'std::bad_alloc'",
      "  what():  std::bad_alloc",
    ),
    line: "what():  std::bad_alloc",
  },
  {
    name: "root-macro",
    command: printing(1, "Error in <TFile::TFile>: file in.root does not exist", "Processing fit.C..."),
    line: "Error in <TFile::TFile>: file in.root does not exist",
  },
  {
    name: "r-script",
    command: printing(1, "Error in fit(x) : object 'y' not found", "Calls: main -> fit", "Execution halted"),
    line: "Error in fit(x) : object 'y' not found",
  },
  { name: "shell-syntax", command: "if true; then echo", line: /syntax error/i },
  {
    name: "network",
    command: printing(6, "curl: (6) Could not resolve host: data.example"),
    line: /Could not resolve/,
  },
];

/** Analyses that fail in more than twenty ways. One click in the list leads to the line with the cause. */
describeUnless(whyNoBrowser())("from the list to the failing line", () => {
  const the = stage(async () => ["--images", "require", "--max-runs", "20"]);
  let page: Page;
  let faults: readonly string[];

  beforeAll(async () => {
    const run = client(the.server.url);
    for (const { name, command, step } of FAILURES) {
      const steps = [{ name: "fit", commands: [command], ...step }];
      const document = JSON.stringify({ workflow: { type: "serial", specification: { steps } } });
      const { body } = await run.call("POST", "workflows", document, `&workflow_name=${name}`);
      await run.setStatus(body["workflow_id"] as string, "start");
    }
    const visitor = await newVisitor(the.browser, the.server.url);
    ({ page, faults } = visitor);
    await signIn(page, the.server.url);
  });

  test.each(FAILURES)("$name: one click", async ({ name, line }) => {
    const run = client(the.server.url);
    const { body } = await run.call("GET", `workflows/${name}/status`);
    if (body["status"] !== "created") await run.ended(body["id"] as string);
    await page.goto(`/runs?search=${name}`);
    await page.getByRole("link", { name: `${name}.1` }).click();
    const note = page.locator("[aria-live=polite]").getByText(line);
    await note.waitFor();
    await expect.poll(() => isOnScreen(page, note)).toBe(true);
    const { body: failure } = await run.call("GET", `workflows/${name}/failure`);
    const said = (failure["failure"] as { last_lines: readonly string[] } | null)?.last_lines ?? [];
    // The job's own output is marked at its place as well.
    if (said.some((one) => one.trim().match(line))) {
      const marked = page.locator("[data-line].bg-tint").getByText(line).first();
      await expect.poll(() => isOnScreen(page, marked)).toBe(true);
    }
    expect(faults).toEqual([]);
  });

  test("the line is on screen for a reader who asks for less movement", async () => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goto("/runs?search=python-exception");
    await page.getByRole("link", { name: "python-exception.1" }).click();
    const marked = page.locator("[data-line].bg-tint").getByText("KeyError: 17");
    await expect.poll(() => isOnScreen(page, marked)).toBe(true);
  });

  test("the note is accessible", async () => expectAccessible(page));
});

async function isOnScreen(page: Page, place: ReturnType<Page["locator"]>): Promise<boolean> {
  const box = await place.boundingBox();
  return box !== null && box.y >= 0 && box.y + box.height <= page.viewportSize()!.height;
}
