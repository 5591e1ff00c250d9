const LINES_SHOWN = 12;

/** The last line before a plan: in the lines above, Snakemake describes itself and the machine. */
const PLANNING_BEGINS = "Building DAG of jobs...";

/** Lines printed by Snakemake around any reason. */
const PRINTED_ALWAYS = [
  /^Shutting down, this might take some time/,
  /^Exiting because a job execution failed/,
  /^Complete logs?(?:\(s\))?: /,
  /^Elapsed time: /,
  /^At least one job did not complete successfully/,
  /^\[\w{3} \w{3} +\d+ [\d:]+ \d{4}\]$/,
  /^Finished job(?:id)?:? /,
  /^\d+ of \d+ steps /,
  /^(?:Select jobs to execute|Execute \d+ jobs)/,
  // The reason names the file already.
  /^Missing configfile: /,
  /^Waiting at most \d+ seconds for missing files/,
];

/** The beginning of an error message of Snakemake or Python. */
const ERROR_BEGINS = /^(?:Traceback|[\w.]*(?:Error|Exception)\b)/;

/** Returns the lines among a planner's last lines that explain its failure. */
export function explainingLines(lastLines: readonly string[]): readonly string[] {
  const begin = lastLines.lastIndexOf(PLANNING_BEGINS) + 1;
  const telling = lastLines
    .slice(begin)
    .filter((line) => line.trim() !== "" && !PRINTED_ALWAYS.some((pattern) => pattern.test(line)));
  // Drops a heading if all lines after it were left out.
  if (telling.at(-1) === "WorkflowError:") telling.pop();
  const error = telling.findIndex((line) => ERROR_BEGINS.test(line));
  return telling.slice(Math.max(0, error)).slice(0, LINES_SHOWN);
}
