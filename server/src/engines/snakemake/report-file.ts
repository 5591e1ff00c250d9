import type { RunRequest } from "#engines/engine";
import type { Problem } from "#engines/problem";
import { whyOutside } from "#plumbing/files/relative-path";

/** Default of the option `report`, as in REANA. */
const REPORT_FILE = "report.html";
/** Snakemake refuses other suffixes, but only after all jobs have run. */
const WRITTEN = /[^/]\.(?:html|zip)$/;

/** Returns the path of the report, relative to the workspace. */
export function reportFile(request: RunRequest): string {
  const report = reportOption(request);
  return typeof report === "string" && report !== "" ? report : REPORT_FILE;
}

/** Returns whether the options request a report, so that a failed report fails the run. */
export function isReportWanted(request: RunRequest): boolean {
  return reportOption(request) !== undefined;
}

/** Returns why the report cannot be written where the options say, as a problem. */
export function reportProblems(request: RunRequest): readonly Problem[] {
  const file = reportFile(request);
  if (whyOutside(file) === undefined && WRITTEN.test(file)) return [];
  const wanted = "it must be the path of a file in the workspace that ends in .html or .zip";
  return [
    { path: "inputs.options.report", message: `The option report is ${JSON.stringify(file)}; ${wanted}.` },
  ];
}

function reportOption({ specification, options }: RunRequest): unknown {
  return { ...specification.inputs?.options, ...options }["report"];
}
