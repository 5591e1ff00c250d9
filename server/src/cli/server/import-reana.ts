import { type Call, optionOf } from "#cli/call";
import { warnServerUnused } from "#cli/connection/server-variables";
import type { CliContext } from "#cli/context";
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
    isDryRun,
    onProgress: (workflows) => {
      if (workflows % TOLD_EVERY === 0) cli.printError(`${counted(workflows, "workflow")} read …`);
    },
  });
  if (flags("json")) return cli.print(JSON.stringify(report));
  cli.print(linesOf(report, isDryRun).join("\n"));
}

const TOLD_EVERY = 1000;

function linesOf(report: ReanaImportReport, isDryRun: boolean): string[] {
  const { users, tokens, runs, jobs, workspaces } = report;
  const known = ({ known: count }: { readonly known: number }) =>
    count > 0 ? ` (${count} were here already)` : "";
  const taken = [
    `${counted(users.taken, "user")}${known(users)}`,
    `${counted(tokens.taken, "token")}${known(tokens)}`,
    `${counted(runs.taken, "run")}${known(runs)}`,
  ];
  return [
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
    "Not in REANA's database: the values of secrets, which its users set again, and GitLab's hooks.",
  ];
}
