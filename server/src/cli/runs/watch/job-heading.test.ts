import { expect, test } from "vitest";
import { JobHeadings } from "#cli/runs/watch/job-heading";

const command = (key: string, label: string, shownCommand: string, attempt = 1) => ({
  key,
  label,
  attempt,
  display_command: shownCommand,
});

function headingsOf(jobs: readonly ReturnType<typeof command>[]): string[] {
  const headings = new JobHeadings();
  headings.add(jobs);
  return jobs.map((job) => headings.of(job));
}

test("commands of a step have a number and a text", () => {
  expect(
    headingsOf([
      command("0.0", "greet", "mkdir -p results"),
      command("0.1", "greet", "bash code/hello.sh\n  > results/greetings.txt"),
      command("1.0", "count", "wc -l < results/greetings.txt"),
    ]),
  ).toEqual([
    "==> greet · command 1: mkdir -p results <==",
    "==> greet · command 2: bash code/hello.sh > results/greetings.txt <==",
    "==> count <==",
  ]);
});

test("attempts of a command have equal numbers, and equal commands different numbers", () => {
  expect(
    headingsOf([command("0.0", "a", "x"), command("0.0", "a", "x", 2), command("0.1", "a", "x")]),
  ).toEqual(["==> a · command 1: x <==", "==> a · attempt 2 · command 1: x <==", "==> a · command 2: x <=="]);
});

test("tasks of a scatter have their labels, and steps without a name their commands", () => {
  expect(
    headingsOf([
      command("fit/0", "fit · task 1 (s01.txt)", "python fit.py"),
      command("fit/1", "fit · task 2 (s02.txt)", "python fit.py", 2),
      command("1.0", "", `echo ${"x".repeat(200)}`),
    ]),
  ).toEqual([
    "==> fit · task 1 (s01.txt) <==",
    "==> fit · task 2 (s02.txt) · attempt 2 <==",
    expect.stringMatching(/^==> command 1: echo x{94,95}… <==$/),
  ]);
});
