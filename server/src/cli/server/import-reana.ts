import { readFile } from "node:fs/promises";
import { type Call, optionOf } from "#cli/call";
import { warnServerUnused } from "#cli/connection/server-variables";
import type { CliContext } from "#cli/context";
import { CommandError, UsageError } from "#cli/failure";
import { messageOf } from "#plumbing/errors";
import { counted } from "#plumbing/text/counted";
import { shortSize } from "#plumbing/text/human-size";
import type { ReanaImportReport } from "#workflow/reports";

/** `reprise import-reana`: takes over users, tokens, runs and files of a REANA. */
export async function importReana(cli: CliContext, call: Call): Promise<void> {
  const { args, settings, flags } = call;
  warnServerUnused(cli, settings, "import-reana");
  const isDryRun = flags("dryRun");
  const report = await cli.importReana(settings, {
    database: args[0]!,
    volume: optionOf(call, "volume"),
    secretKey: cli.environment["REANA_SECRET_KEY"],
    secrets: await maybeText(optionOf(call, "secrets")),
    sinceMs: maybeTime(optionOf(call, "since")),
    isDryRun,
    onProgress: (workflows) => {
      if (workflows % TOLD_EVERY === 0) cli.printError(`${counted(workflows, "workflow")} read …`);
    },
  });
  if (flags("json")) return cli.print(JSON.stringify(report));
  cli.print(
    linesOf(report, {
      isDryRun,
      since: optionOf(call, "since"),
      hasSecrets: optionOf(call, "secrets") !== undefined,
    }).join("\n"),
  );
}

const TOLD_EVERY = 1000;

async function maybeText(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  return readFile(file, "utf8").catch((error: unknown) => {
    throw new CommandError(`The secrets in ${file} cannot be read: ${messageOf(error)}`);
  });
}

/** Returns the time of a day, or of a time with a zone. REANA's own times are in UTC. */
function maybeTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/.test(text);
  const time = isDay || isTime ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  throw new UsageError(
    `The time ${text} cannot be read. Write a day in UTC, such as 2026-05-31, or a time with its zone, such as 2026-05-31T08:00Z.`,
  );
}

interface Told {
  readonly isDryRun: boolean;
  readonly since: string | undefined;
  readonly hasSecrets: boolean;
}

function linesOf(report: ReanaImportReport, { isDryRun, since, hasSecrets }: Told): string[] {
  const { users, tokens, secrets, runs, read, jobs, workspaces } = report;
  const known = ({ known: count }: { readonly known: number }) =>
    count > 0 ? ` (${count} ${count === 1 ? "was" : "were"} here already)` : "";
  const taken = [
    `${counted(users.taken, "user")}${known(users)}`,
    `${counted(tokens.taken, "token")}${known(tokens)}`,
    ...(hasSecrets ? [`${counted(secrets.taken, "secret")}${known(secrets)}`] : []),
    `${counted(runs.taken, "run")}${known(runs)}`,
  ];
  return [
    ...(since === undefined
      ? []
      : [
          `Read ${counted(read, "workflow")} that changed since ${since}, or share a workspace with one that did.`,
        ]),
    `${isDryRun ? "An import would take" : "Imported"} ${taken.join(", ")}.`,
    ...(isDryRun
      ? []
      : [
          `Logs of ${counted(jobs, "job")}, and ${counted(workspaces.files, "file")} ` +
            `(${shortSize(workspaces.bytes)}) of ${counted(workspaces.copied, "workspace")}.`,
        ]),
    ...report.leftOut.map(
      ({ reason, count, examples }) =>
        `Left out, because ${reason}: ${examples.join(", ")}${count > examples.length ? ` and ${count - examples.length} more` : ""}.`,
    ),
    ...projectLines(report),
    ...(hasSecrets
      ? []
      : [
          "Not in REANA's database: secrets. Take them from Kubernetes with --secrets, or let users set them again.",
        ]),
  ];
}

/** Limit on the projects in a report for a person. */
const PROJECTS_MAX = 20;

/** Names the projects whose hooks lead to REANA. GitLab keeps the hooks, and only a member of the project may change them. */
function projectLines({ projects }: ReanaImportReport): string[] {
  if (projects.length === 0) return [];
  const named = projects.slice(0, PROJECTS_MAX).map(({ project, email }) => `${project} of ${email}`);
  const more = projects.length > named.length ? ` and ${projects.length - named.length} more` : "";
  return [`GitLab's hooks still lead to REANA. Connect these projects again: ${named.join(", ")}${more}.`];
}
