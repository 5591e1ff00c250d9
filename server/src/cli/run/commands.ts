import {
  type CommandDeclaration,
  JSON_OPTION,
  KEEP_OPTION,
  ON_FAILURE_OPTION,
  option,
  repeatableOption,
  FOLLOW_LINKS_OPTION,
} from "#cli/command";
import type { RunOptions } from "#cli/run/run";

export const RUN_COMMAND: CommandDeclaration = {
  usage: "run [analysis]",
  summary: "Run an analysis here, from start to end",
  description:
    "Run an analysis from start to end: a reana.yaml, a folder with a reana.yaml (default: this folder), " +
    "or the address of a Git repository. " +
    "The declared inputs are copied into a workspace, and the declared outputs are copied back. " +
    "Outputs of a failed run go into failed/<run>. " +
    "The named server carries out the run, or the server on the data folder, or else this process. " +
    "The exit code is 0 if the run has finished, 1 if it has failed, 130 if it was stopped, and 3 if the server was away for too long.",
  settings: ["dataFolder", "jobEnvironment", "containers"],
  namesServer: true,
  options: [
    repeatableOption("-p, --param <name=value>", "set a parameter of the specification; repeatable"),
    repeatableOption(
      "--sweep <name=values>",
      'run once for each value of a parameter (x=1,2,3; values with commas: x="a,b",c) and compare the results; repeat for all combinations',
    ),
    ON_FAILURE_OPTION,
    KEEP_OPTION,
    option("--watch", "run again whenever the specification or an input has changed, until Ctrl-C"),
    option(
      "--on <place>",
      "where steps without a compute_backend run: local, slurm or htcondor (default: local)",
    ),
    option(
      "--resume",
      "follow the newest run of this analysis (or the run that --name names) to its end, after its command was killed or lost its connection",
    ),
    option("-n, --name <name>", "the name of the run (default: the name of the folder)"),
    option(
      "--output <folder>",
      "the folder for the outputs (default: the folder of the specification, or a new one named after the repository)",
    ),
    option("--no-outputs", "leave the outputs in the workspace"),
    FOLLOW_LINKS_OPTION,
    option("--strict", "exit with code 1 if a declared output was not produced"),
    option("-v, --verbose", "show the output of the jobs as it is printed"),
    { ...JSON_OPTION, description: "print JSON lines: each event, and the outcome last" },
  ],
  async load() {
    const { run } = await import("#cli/run/run");
    return (cli, { args, settings, options }) =>
      run(cli, settings, { ...(options() as unknown as RunOptions), analysis: args[0] });
  },
};
