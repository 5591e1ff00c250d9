import {
  type CommandGroup,
  KEEP_OPTION,
  ON_FAILURE_OPTION,
  option,
  repeatableOption,
  serverCommand,
  commandOnRun,
  FOLLOW_LINKS_OPTION,
} from "#cli/command";
import { RUN_COMMAND } from "#cli/run/commands";
import { CWL_RUNNER_COMMAND } from "#cli/run/cwl/command";

const PARAMETER = repeatableOption("-p, --param <name=value>", "set a parameter; repeatable");
const LICENSE_OPTION = option(
  "--license <address>",
  "the address of the licence under which the content is published",
);
const WATCH = option(
  "--watch",
  "show each change until the workflow has ended, at a terminal in one line; the exit code is 0 if it has finished, else 1",
);
const REPEAT_OPTIONS = [
  PARAMETER,
  KEEP_OPTION,
  ON_FAILURE_OPTION,
  option("--fresh", "run all steps again"),
  option("--from <step>", "run again from this step on"),
  option("--plan", "show what would be kept and what would run, and why, without changing anything"),
  WATCH,
];

/** The commands for running runs. */
export const RUN_COMMANDS: CommandGroup = {
  heading: "Run:",
  commands: [
    RUN_COMMAND,
    CWL_RUNNER_COMMAND,
    serverCommand({
      usage: "validate [file] [inputs]",
      summary: "Check a specification or a CWL document",
      description:
        "Check a specification with its documents, as a server would: the reana.yaml in this folder, or another file. " +
        "Or check a CWL document, or one process of the document (main.cwl#id); with a file of inputs (YAML or JSON), check the " +
        "input files as well, evaluate expressions and show the commands of the first jobs. " +
        "The steps are listed with the steps before them; ? stands for a number of jobs that only the run decides. " +
        "Nothing is run. Only --history, and a Snakemake workflow for a named server, contact a server.",
      options: [
        option(
          "--history <workflow>",
          "advise other memory limits where the steps used far less in that run, or almost all",
        ),
        FOLLOW_LINKS_OPTION,
      ],
      load: async () => (await import("#cli/specification/validate")).validate,
    }),
    serverCommand({
      usage: "create [address]",
      summary: "Create a workflow from a file or a repository",
      description: "Create a workflow from a reana.yaml, or from the Git repository at an address.",
      options: [
        option("-f, --file <file>", "the specification (default: the reana.yaml in this folder)"),
        option("-n, --name <name>", "the name of the workflow (default: a generated name)"),
        FOLLOW_LINKS_OPTION,
      ],
      load: async () => (await import("#cli/runs/create")).create,
    }),
    commandOnRun({
      usage: "start [workflow]",
      summary: "Start a workflow",
      description: "Start a workflow.",
      options: [
        PARAMETER,
        ON_FAILURE_OPTION,
        option("--fresh", "reuse no results of your other runs (for a server with --reuse-across-runs)"),
        WATCH,
      ],
      load: async () => (await import("#cli/runs/change-status")).start,
    }),
    commandOnRun({
      usage: "status [workflow]",
      summary: "Show the status of a workflow",
      description: "Show the status of a workflow.",
      options: [WATCH],
      load: async () => (await import("#cli/runs/watch/status")).status,
    }),
    commandOnRun({
      usage: "outputs [workflow]",
      summary: "Print the output object of a workflow",
      description:
        "Print the output object of a finished workflow as JSON: the values and files that its language names as outputs.",
      load: async () => (await import("#cli/runs/watch/outputs")).outputs,
    }),
    commandOnRun({
      usage: "logs [workflow]",
      summary: "Print the output of the jobs of a workflow",
      description: "Print the output of the jobs of a workflow.",
      options: [
        option("-f, --follow", "keep printing until the workflow has ended, and exit with its exit code"),
        repeatableOption("--step <name>", "only the jobs of this step; repeatable"),
        option("--engine", "also print the lines that REANA's engine would log for the run"),
      ],
      load: async () => (await import("#cli/runs/watch/logs")).logs,
    }),
    commandOnRun({
      usage: "report [workflow]",
      summary: "Write a report on a workflow as one HTML file",
      description:
        "Write a report on a workflow as one HTML file, which opens without a server: what ran, why, in which order and how long, " +
        "with parameters, images, inputs, outputs with previews, and resources.",
      options: [
        option(
          "-o, --output <file>",
          "the file to write; - for standard output (default: the workflow's name with .html)",
        ),
      ],
      load: async () => (await import("#cli/runs/report")).report,
    }),
    commandOnRun({
      usage: "export [workflow]",
      summary: "Pack a workflow that has ended as an RO-Crate",
      description:
        "Pack a workflow that has ended as an RO-Crate, a zip: its workflow, inputs, outputs and logs, the report on it, and a description " +
        "in JSON-LD of what ran (Provenance Run Crate 0.5). Stored secrets of its owner are left out.",
      options: [
        option(
          "-o, --output <file>",
          "the file to write, or the folder with --all (default: the workflow's name with .crate.zip; crates)",
        ),
        option("--all", "every workflow of yours that has ended, a crate each, with index.json"),
        option("--without-inputs", "only name the inputs, with their checksums"),
        LICENSE_OPTION,
      ],
      load: async () => (await import("#cli/runs/export")).exportCrate,
    }),
    commandOnRun({
      usage: "pack [workflow]",
      summary: "Pack a workflow so that it runs elsewhere",
      description:
        "Pack a workflow that has ended as an RO-Crate with all that is needed to run it again without a network: inputs, container images, " +
        "this program, and a script that runs the workflow and compares its outputs with the recorded checksums.",
      options: [
        option("-o, --output <file>", "the file to write (default: the workflow's name with .zip)"),
        LICENSE_OPTION,
      ],
      load: async () => (await import("#cli/runs/pack")).packRun,
    }),
    commandOnRun({
      usage: "publish [workflow]",
      summary: "Publish a workflow that has ended, with a DOI",
      description:
        "Deposit a workflow that has ended on Zenodo or another server with InvenioRDM's API: a draft with the crate of reprise export, and " +
        "a DOI that the crate and the status of the workflow name. Only --submit publishes the draft, which cannot be undone. " +
        "Title, creators, licence and keywords come from the CITATION.cff of the workflow. The server repeats what fails.",
      options: [
        option(
          "--to <place>",
          "zenodo, zenodo-sandbox, or the address of a server; not needed for a workflow with a draft",
        ),
        option("--submit", "also publish the draft"),
        option("--title <text>", "the title (default: from CITATION.cff, or the workflow's name)"),
        repeatableOption(
          "--creator <name>",
          'who made the result: "Family, Given", or "Family, Given <ORCID iD>"; repeatable (default: from CITATION.cff)',
        ),
        LICENSE_OPTION,
        option(
          "--secret <name>",
          "your secret with the access token (default: ZENODO_TOKEN or ZENODO_SANDBOX_TOKEN)",
        ),
      ],
      load: async () => (await import("#cli/runs/publish")).publish,
    }),
    serverCommand({
      usage: "import <crate>",
      summary: "Create a workflow from an RO-Crate",
      description:
        "Create a workflow from an RO-Crate, a zip or a folder, with the files and parameters that its workflow needs: a crate of " +
        "reprise export, or of another program whose main workflow is in CWL, Snakemake or Yadage. Nothing is fetched, and nothing starts.",
      options: [option("-n, --name <name>", "the name of the workflow (default: the name of the crate)")],
      load: async () => (await import("#cli/runs/import")).importCrate,
    }),
    serverCommand({
      usage: "list [name]",
      summary: "List your workflows, the newest first",
      description: "List your workflows, or only the runs of one name, the newest first.",
      options: [
        repeatableOption("--status <status>", "only workflows with this status; repeatable"),
        option("--tag <tag>", "only workflows that have this tag"),
        option("--count <number>", "the maximum number of workflows to list (default: 20)"),
        option("--shared", "also workflows that other users share with you"),
        option("--shared-by <e-mail>", "only workflows that this user (or anybody) shares with you"),
        option(
          "--shared-with <who>",
          "only your workflows that are shared with a user, a group, anybody or nobody",
        ),
      ],
      load: async () => (await import("#cli/runs/list")).list,
    }),
    serverCommand({
      usage: "note <workflow> [text]",
      summary: "Write a note on a workflow, or print it",
      description:
        "Write a note on a workflow, in place of an earlier one; an empty text removes it. Without a text, print the note. " +
        "All users with whom the workflow is shared can read it.",
      load: async () => (await import("#cli/runs/annotate")).note,
    }),
    serverCommand({
      usage: "tag <workflow> [tags...]",
      summary: "Add tags to a workflow, or list them",
      description:
        "Add tags to a workflow, and print all that it has after that, each on a line. Without tags, only print them. " +
        "The server never deletes a workflow with the tag keep by itself.",
      options: [repeatableOption("--remove <tag>", "take this tag away; repeatable")],
      load: async () => (await import("#cli/runs/annotate")).tag,
    }),
    serverCommand({
      usage: "diff <one> <other>",
      summary: "Show how two workflows differ",
      description: "Show how two workflows differ: specification, parameters, steps, files.",
      options: [
        option("--brief", "only list the files that differ, without their contents"),
        option("--context <lines>", "the number of equal lines around each change in a file (default: 5)"),
      ],
      load: async () => (await import("#cli/runs/compare/diff")).diff,
    }),
    commandOnRun({
      usage: "restart [workflow]",
      summary: "Run a workflow again in its workspace",
      description:
        "Run a workflow again in its workspace, replacing its results. If no server runs, this process carries out the run.",
      options: REPEAT_OPTIONS,
      load: async () => (await import("#cli/runs/repeat")).restart,
    }),
    commandOnRun({
      usage: "rerun [workflow]",
      summary: "Run a workflow again in a new workspace",
      description:
        "Run a workflow again in a copy of its workspace, keeping the results of both. If no server runs, this process carries out the run.",
      options: REPEAT_OPTIONS,
      load: async () => (await import("#cli/runs/repeat")).rerun,
    }),
    commandOnRun({
      usage: "verify [workflow]",
      summary: "Run a workflow again and compare the outputs",
      description:
        "Run a finished workflow again from its recorded specification and inputs, in a new workspace, and compare every output by " +
        "content: identical, equivalent by a named rule, or different, with the first step that differs. " +
        "A step that differs is repeated alone, with one condition changed or held at a time (clock, time zone, random " +
        "seeds, path …), and a cause is named only if both show it twice. " +
        "The exit code is 0 if all outputs are identical or equivalent, else 1. " +
        "If no server runs, this process carries out the run.",
      options: [
        option(
          "--tolerance <number>",
          "the relative difference up to which numbers in JSON and CSV files are equal (default: 1e-12)",
        ),
        option(
          "--step <name>",
          "repeat only this step, from the recorded inputs and the files of the steps before it",
        ),
        option(
          "--budget <amount>",
          "repeat a step at most so often to find a cause, 0 to 8 (default: 8), or spend at most this time in all (90min, 2h, 1d)",
        ),
        option(
          "--plan",
          "say what a verification of the workflow or the step would cost and what stands in its way, without running again",
        ),
        option("--explain", "go on with the last verification: only look for the cause of a difference"),
        option("--last", "show the result of the last verification, without running again"),
        option(
          "--certificate <file>",
          "write the result into a zip as CODECHECK wants it, signed by the server",
        ),
        option("--check <file>", "check a certificate, a zip or a folder, without a server"),
        option("--key <fingerprint>", "with --check: the key that must have signed, such as SHA256:…"),
      ],
      load: async () => (await import("#cli/runs/verify/verify")).verify,
    }),
    commandOnRun({
      usage: "stop [workflow]",
      summary: "Stop a workflow and all of its jobs",
      description: "Stop a workflow and all of its jobs.",
      load: async () => (await import("#cli/runs/change-status")).stop,
    }),
    commandOnRun({
      usage: "delete [workflow]",
      summary: "Delete a workflow and its files",
      description: "Delete a workflow and its files. Asks first at a terminal.",
      options: [
        option("--all-runs", "delete every run of the same name that is not running"),
        option("-y, --yes", "do not ask"),
      ],
      load: async () => (await import("#cli/runs/delete")).remove,
    }),
    commandOnRun({
      usage: "open [workflow]",
      summary: "Open the web page, or a workflow on it",
      description: "Sign a browser in, open the web page or a workflow on it, and print the address.",
      load: async () => (await import("#cli/runs/open")).open,
    }),
    commandOnRun({
      usage: "notebook [workflow]",
      summary: "Open JupyterLab on the files of a workflow",
      description:
        "Open JupyterLab on the files of a workflow, in a browser, and print its address. Close it with --close.",
      options: [
        option("--image <image>", "run JupyterLab in this container image"),
        option("--close", "close the notebook"),
      ],
      load: async () => (await import("#cli/runs/notebook")).notebook,
    }),
  ],
};
