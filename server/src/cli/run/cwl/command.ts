import { type CommandDeclaration, FOLLOW_LINKS_OPTION, option, repeatableOption } from "#cli/command";
import { CWLTOOL_OPTIONS } from "#cli/run/cwl/cwltool-options";

export const CWL_RUNNER_COMMAND: CommandDeclaration = {
  usage: "cwl-runner [file]",
  summary: "Run a CWL document here, in the place of cwltool",
  description:
    "Run a CWL document (v1.0 to v1.2), or one process of the document (main.cwl#id). The inputs are in a file (YAML or JSON) " +
    "whose name follows the document's, or are options after both names: --reads reads.fastq. Repeat the option for each item " +
    "of a list (--reads a --reads b); --flag alone means true. An option overrides the file. " +
    "The document, the file with the inputs and input files may be http, https and file addresses. " +
    "`-` reads the inputs from standard input. " +
    "Records, and inputs with the name of an option below, can only be in the file. " +
    "Commands run on this machine, as many at the same time as there are processors. Without --podman, no container is used: a hint " +
    "at a container is ignored, and a requirement is refused. " +
    "Standard output holds the output object alone. Warnings, the start and end of each job, and the last lines of a job that failed go to standard error. " +
    "The options in the variable CWLTOOL_OPTIONS come first, so options of the command line override them. " +
    "The exit code is 0, 1 if the run has failed, and 33 if the document needs what is not supported.",
  settings: [],
  namesServer: false,
  takesAnyOption: true,
  wordsFrom: "CWLTOOL_OPTIONS",
  options: [
    option("--outdir <folder>", "the folder for the outputs (default: this folder)"),
    FOLLOW_LINKS_OPTION,
    option(
      "--basedir <folder>",
      "the folder of relative paths in inputs that are options (default: this folder)",
    ),
    option("--tmpdir-prefix <prefix>", "the beginning of the path of temporary folders"),
    option("--quiet", "print errors only, not the start and end of each job"),
    option("--verbose", "also print the output of each job when it has ended"),
    option("--debug", "the same as --verbose"),
    option("--timestamps", "print the time before each line on standard error"),
    option("--no-container", "start all commands on this machine (default)"),
    option("--podman", "start commands that name an image (DockerRequirement) in containers of podman"),
    option("--leave-tmpdir", "keep the temporary folder, and print its path"),
    option("--rm-tmpdir", "remove the temporary folder at the end (default)"),
    option("--validate", "only check the document, as reprise validate does"),
    option("--print-dot", "only print the graph of the steps, in the language of Graphviz"),
    option("--overrides <file>", "a file with requirements of processes and steps (cwltool:overrides)"),
    option(
      "--cachedir <folder>",
      "keep the results of all jobs in this folder, and reuse the results of earlier calls",
    ),
    option(
      "--on-error <stop|continue>",
      "stop: the first failure ends the run (default); continue: independent steps still run",
    ),
    option("--target <name>", "run only what this step or output of the workflow needs"),
    repeatableOption(
      "--preserve-environment <name>",
      "also give this variable of the command to all jobs; repeatable",
    ),
    option("--preserve-entire-environment", "give all variables of this command to all jobs"),
    option("--no-compute-checksum", "leave the checksums out of the output object"),
    option("--force-docker-pull", "with --podman, fetch all images again"),
    option("--singularity", "refused with the exit code 33 if a command names an image: use --podman"),
    option("--log-dir <folder>", "write the output of each job into a file of this folder"),
    option("--make-template", "only print a file with the inputs of the document, to be filled in"),
    option("--tool-help", "the same as --help after a document"),
    option("-h, --help", "show this help, or the inputs of the document"),
    option("--disable-pull", "use only images that are on this machine already"),
    ...CWLTOOL_OPTIONS,
  ],
  load: async () => (await import("#cli/run/cwl/cwl-runner")).cwlRunner,
};
