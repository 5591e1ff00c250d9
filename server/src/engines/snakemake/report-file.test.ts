import { describe, expect, test } from "vitest";
import { problemsOf } from "#engines/snakemake/prepare";

const problems = (report: unknown, option?: unknown) =>
  problemsOf({
    specification: { workflow: { type: "snakemake", file: "Snakefile" }, inputs: { options: { report } } },
    parameters: {},
    options: option === undefined ? {} : { report: option },
  }).map(({ path, message }) => `${path}: ${message}`);

describe("the file of the report", () => {
  test.each([undefined, "", "report.html", "results/all.zip", "./a/b.html"])("may be %j", (file) => {
    expect(problems(file)).toEqual([]);
  });

  test.each(["report.txt", "report", "results/.html", "/tmp/report.html", "../report.html", "a/../b.html"])(
    "%j is refused before anything runs",
    (file) => {
      const said = `The option report is ${JSON.stringify(file)}; it must be the path of a file in the workspace that ends in .html or .zip.`;
      expect(problems(file)).toEqual([`inputs.options.report: ${said}`]);
    },
  );

  test("is the report given at the start, if any", () => {
    expect(problems("report.txt", "report.html")).toEqual([]);
    expect(problems("report.html", "../report.html")).toHaveLength(1);
  });
});
