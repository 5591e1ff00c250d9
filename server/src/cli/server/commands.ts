import {
  type CommandDeclaration,
  type CommandGroup,
  folderCommand,
  JSON_OPTION,
  option,
  repeatableOption,
  serverCommand,
} from "#cli/command";

/** Declares a command on the images of the container runtime. */
function imageCommand(details: Parameters<typeof folderCommand>[0]): CommandDeclaration {
  return { ...folderCommand(details), settings: ["dataFolder", "configFile", "containers"] };
}

/** The commands for running a server. */
export const SERVER_COMMANDS: CommandGroup = {
  heading: "Server:",
  commands: [
    {
      usage: "serve",
      summary: "Serve the API until Ctrl-C",
      description:
        "Serve the API until Ctrl-C. Running jobs continue after that, and the next start finds them.",
      settings: "all",
      namesServer: false,
      options: [
        option("--stop-jobs", "also stop the running jobs when the server stops"),
        { ...JSON_OPTION, description: "print JSON lines" },
      ],
      load: async () => (await import("#cli/server/serve")).serve,
    },
    folderCommand({
      usage: "doctor",
      summary: "Check this machine and its server",
      description: "Check this machine and its server, and report what is missing. Changes nothing.",
      load: async () => (await import("#cli/server/doctor/doctor")).doctor,
    }),
    {
      ...folderCommand({
        usage: "setup [what...]",
        summary: "Set up Snakemake or JupyterLab in the data folder",
        description:
          "Set up snakemake or jupyter in a Python environment of the data folder: pinned versions, from the index that pip " +
          "uses on this machine (PyPI by default). It needs python3 with venv, and no root. A running server finds it. " +
          "Without a name, list what can be set up and what is there.",
        load: async () => (await import("#cli/server/set-up")).setUp,
      }),
    },
    {
      usage: "drain",
      summary: "Start no new runs, before an upgrade",
      description:
        "Prepare for an upgrade: the running server starts no more queued runs, and running ones continue. " +
        "The next start of the server ends the drain.",
      settings: ["dataFolder"],
      namesServer: true,
      options: [
        option(
          "--now",
          "hand over running runs as well: their jobs continue, and the next server resumes the runs",
        ),
        option("--wait", "wait until no run is running"),
        option("--end", "end the drain"),
        JSON_OPTION,
      ],
      load: async () => (await import("#cli/server/drain")).drain,
    },
    {
      usage: "admin",
      summary: "Hosts, quotas, policies, usage, audit log",
      description:
        "List the hosts that share the server's database, declare one lost, set quotas and policies, and show use and changes.",
      commands: [
        folderCommand({
          usage: "audit",
          description:
            "Show who changed which run, user or setting, when, from where and with which outcome: the newest entries of " +
            "the audit log in the data folder.",
          options: [
            option("--user <e-mail>", "only what this user did"),
            option(
              "--run <workflow>",
              "only what concerned this workflow, by its name, or by its id if requests named it by that",
            ),
            option("--last <number>", "the number of entries to show (default: 100)"),
            JSON_OPTION,
          ],
          load: async () => (await import("#cli/server/audit")).audit,
        }),
        serverCommand({
          usage: "runs",
          description:
            "List the newest runs of all users, with the status of each and what it waits for. Files are not shown.",
          options: [
            option("--user <user>", "only runs of this user (an e-mail address or an id)"),
            repeatableOption("--status <status>", "only runs with this status; repeatable"),
          ],
          load: async () => (await import("#cli/server/all-runs")).listAllRuns,
        }),
        folderCommand({
          usage: "change-key",
          description:
            "Make a new key for the tokens, secrets and results of requests that the database keeps encrypted, and encrypt " +
            "them with it. Needs a stopped server. Tokens stay valid. If it is interrupted, the next start completes it.",
          load: async () => (await import("#cli/server/change-key")).changeKey,
        }),
        serverCommand({
          usage: "announce [text]",
          description:
            "Say something to all users, such as the time of an upgrade: on top of each page, also before they sign in. Without " +
            "a text, show what is said.",
          options: [option("--end", "remove the announcement")],
          load: async () => (await import("#cli/server/announce")).announce,
        }),
        serverCommand({
          usage: "report",
          description:
            "Print a status report: what needs attention, the runs that ended, users and disk. With --mail, the server sends it to " +
            "every administrator by e-mail.",
          options: [
            option("--days <number>", "the days before now that it covers (default: 1)"),
            option("--mail", "send it instead of printing it"),
          ],
          load: async () => (await import("#cli/server/report")).report,
        }),
        serverCommand({
          usage: "shadow",
          description:
            "Compare your runs with their copies on the server of --shadow-of, grouped by what differs; for the administrator, " +
            "the runs of all users, and who is ready to move.",
          options: [
            option("--on", "send your later runs to that server, too (default)"),
            option("--off", "do not send your later runs to that server"),
            option("--user <email>", "with --on or --off: the runs of this user (for the administrator)"),
          ],
          load: async () => (await import("#cli/server/shadow")).shadow,
        }),
        serverCommand({
          usage: "hosts",
          description: "List the hosts that share the server's database, and what each of them holds.",
          load: async () => (await import("#cli/server/hosts")).listHosts,
        }),
        serverCommand({
          usage: "declare-lost <host>",
          description:
            "Declare that a host will not come back: its jobs count as lost, and its runs continue on other hosts. " +
            "Refused while the host is there. A host that comes back all the same ends its old jobs.",
          load: async () => (await import("#cli/server/hosts")).declareLost,
        }),
        serverCommand({
          usage: "declare-job-lost <job>",
          description:
            "Declare that the node of a cluster on which a job runs will not come back: the job counts as lost, and its run continues or fails. " +
            "Refused unless the node of the job is silent. If the node comes back all the same, the job is ended.",
          load: async () => (await import("#cli/server/hosts")).declareJobLost,
        }),
        serverCommand({
          usage: "quota <e-mail>",
          description: "Show what a user has used and may use, and set it.",
          options: [
            option("--cpu <time>", "the processor time that the user may use: 100h, none, or default"),
            option("--disk <size>", "the disk space that the user's files may take: 50GiB, none, or default"),
            option(
              "--wall <time>",
              "the time that the user's runs may take together: 100h, none, or default",
            ),
            option(
              "--months <number>",
              "count both times again from zero after so many months, or never (none)",
            ),
          ],
          load: async () => (await import("#cli/server/quota")).quota,
        }),
        serverCommand({
          usage: "policy [group]",
          description:
            "Show what the members of a group, or all users (everybody), may use, and set it. A user's own quota comes before " +
            "it. If several groups of a user have a limit, the most generous one holds. The administrator alone maintains " +
            "the members of a group with a policy.",
          options: [
            option(
              "--images <patterns>",
              "the images in which jobs may run: python,docker.io/rootproject/*, or default",
            ),
            option("--cpu <time>", "the processor time that each user may use: 100h, none, or default"),
            option(
              "--disk <size>",
              "the disk space that each user's files may take: 50GiB, none, or default",
            ),
            option(
              "--wall <time>",
              "the time that the runs of each user may take together: 100h, none, or default",
            ),
            option(
              "--runs <number>",
              "the runs of each user that may be active at once: 5, none, or default",
            ),
          ],
          load: async () => (await import("#cli/server/policy")).policy,
        }),
        serverCommand({
          usage: "users",
          description:
            "List all users with their runs, the processor time and disk space that they have used, and their limits.",
          load: async () => (await import("#cli/server/quota")).usageOfUsers,
        }),
        serverCommand({
          usage: "usage",
          description: "Show what the users' runs and notebooks have used, by the month in which they ended.",
          options: [
            option("--from <month>", "the first month, such as 2026-11 (default: the last one)"),
            option("--to <month>", "the last month (default: the present one)"),
            option("--user <user>", "only this user, by e-mail address or id"),
          ],
          load: async () => (await import("#cli/server/quota")).usageByMonth,
        }),
      ],
    },
    {
      usage: "retention",
      summary: "What is deleted next, and more time for a run",
      description:
        "Show what the server is going to delete by itself, and give the files of a run more time.",
      commands: [
        serverCommand({
          usage: "preview",
          description:
            "List what the server deletes next, of which user, when and how much: files by the retention_days of a " +
            "specification, and whole runs by --keep-runs. Deletes nothing. For the administrator.",
          options: [option("--days <number>", "how far to look ahead (default: 7; 0: what is due now)")],
          load: async () => (await import("#cli/server/retention")).previewRetention,
        }),
        serverCommand({
          usage: "extend <workflow>",
          description:
            "Add days to the retention_days of a run that are still to be applied. The administrator names the run of another " +
            "user by the id that the preview shows.",
          options: [option("--days <number>", "the number of days to add (default: 30)")],
          load: async () => (await import("#cli/server/retention")).extendRetention,
        }),
      ],
    },
    {
      usage: "image",
      summary: "Load, list and remove container images",
      description:
        "Load, list and remove images of the container runtime of this machine. Run it as the server's user: podman " +
        "keeps the images of each user apart.",
      commands: [
        imageCommand({
          usage: "load <source>",
          description:
            "Load the images of an archive (`podman save`, `docker save`) or of a folder in the OCI layout, so that " +
            "no registry is needed.",
          options: [
            JSON_OPTION,
            option("--as <name>", "the name that the image gets, if the source holds one"),
          ],
          load: async () => (await import("#cli/server/images/images")).loadImages,
        }),
        imageCommand({
          usage: "list",
          description: "List the images, with the time when a job of this server last ran in each.",
          load: async () => (await import("#cli/server/images/images")).listImages,
        }),
        imageCommand({
          usage: "remove [images...]",
          description:
            "Remove images by name. The server itself never removes images. An image that an unfinished job needs is kept.",
          options: [
            JSON_OPTION,
            option(
              "--unused-days <number>",
              "also remove the images that jobs of this server have used, but not in this many days",
            ),
          ],
          load: async () => (await import("#cli/server/images/images")).removeImages,
        }),
      ],
    },
    folderCommand({
      usage: "backup <target>",
      summary: "Copy the data folder and the database",
      description:
        "Copy the data folder and the database into a new folder, even while the server is running, " +
        "and verify the copy. An interrupted backup is never mistaken for a complete one.",
      load: async () => (await import("#cli/server/backup")).backUp,
    }),
    folderCommand({
      usage: "restore <source>",
      summary: "Restore a backup into an empty data folder",
      description:
        "Restore a backup into an empty data folder and, with PostgreSQL, an empty database. The restored server is " +
        "independent: the original can keep running. Jobs that were running during the backup count as lost.",
      load: async () => (await import("#cli/server/backup")).restore,
    }),
    folderCommand({
      usage: "import-reana <database>",
      summary: "Take over the users and runs of a REANA",
      description:
        "Take over users, tokens, runs, logs and files of a REANA from its PostgreSQL database, which is only read. Needs a " +
        "stopped server. Repeat it after an interruption or for runs that have ended since: what is here is not taken again. " +
        "Tokens keep working if the variable REANA_SECRET_KEY holds REANA's key.",
      options: [
        option(
          "--volume <folder>",
          "REANA's shared volume, the folder that contains `users` (default: take no files)",
        ),
        option(
          "--secrets <file>",
          "the secrets of REANA's users, as `kubectl get secrets -o yaml` prints them (default: take no secrets)",
        ),
        option(
          "--since <time>",
          "read only workflows that changed since a day (2026-05-31) or a time (2026-05-31T08:00Z), for the last import",
        ),
        option("--dry-run", "only count what would be taken, and say what cannot be"),
        JSON_OPTION,
      ],
      load: async () => (await import("#cli/server/import-reana")).importReana,
    }),
    folderCommand({
      usage: "migrate",
      summary: "Bring the database up to date",
      description:
        "Bring the database up to date, as each start of the server does. Safe to repeat and to run in parallel.",
      load: async () => (await import("#cli/server/migrate")).migrate,
    }),
    folderCommand({
      usage: "install-service",
      summary: "Write a unit file for systemd",
      description:
        "Write a unit file for systemd and print the next steps. Jobs continue while the service is stopped or restarted. " +
        "A system service keeps its data in /var/lib/reprise unless another folder is named.",
      options: [
        option("--user", "install a service for your user instead of a system service"),
        option("--run-as <user>", "the user that a system service runs as (default: reprise)"),
        option("--print", "print the file without writing it"),
        option("--force", "overwrite a file with different content"),
      ],
      load: async () => (await import("#cli/server/service/install-service")).installService,
    }),
  ],
};
