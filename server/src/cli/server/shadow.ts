import type { components } from "reprise-sdk";
import { type Call, optionOf } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import { UsageError } from "#cli/failure";
import { inColumns } from "#cli/terminal/columns";
import { counted } from "#plumbing/text/counted";

type Report = components["schemas"]["Shadows"];

/** Prints what differs between runs and their copies on another server, or switches the copies on or off. */
export async function shadow(cli: CliContext, call: Call): Promise<void> {
  const { flags } = call;
  const [isOn, isOff, user] = [flags("on"), flags("off"), optionOf(call, "user")];
  if (isOn && isOff) throw new UsageError("Give --on or --off, not both.");
  if (user !== undefined && !isOn && !isOff) throw new UsageError("Give --on or --off with --user.");
  const client = await openClient(cli, call);
  if (isOn || isOff) {
    const body = { on: isOn };
    const { data } =
      user === undefined
        ? await client.PUT("/api/shadows", { body })
        : await client.PUT("/api/admin/users/{user}/shadows", { params: { path: { user } }, body });
    if (flags("json")) return cli.print(JSON.stringify(data));
    const whose = user === undefined ? "Your later runs" : `The later runs of ${user}`;
    return cli.print(`${whose} are ${isOn ? "also" : "no longer"} sent to the other server.`);
  }
  const { data } = await client.GET("/api/shadows");
  if (flags("json")) return cli.print(JSON.stringify(data));
  for (const line of linesOf(data!)) cli.print(line);
}

const READINESS = { ready: "ready to move", differs: "results differ", "too-few": "too few runs" } as const;

function linesOf({ server, problems, causes, users, runs }: Report): string[] {
  const to = server === null ? "No run is sent to another server." : `Runs are also sent to ${server}.`;
  const waiting = problems.map(
    (one) => `${one.problem} ${counted(one.runs, "run")} waiting until ${one.next}.`,
  );
  const results = causes.map((one) => [String(one.runs), one.cause]);
  const people = users.map((one) => [
    one.user_email,
    String(one.compared),
    String(one.open),
    READINESS[one.readiness],
    one.on ? "on" : "off",
  ]);
  const rows = runs.map((run) => [
    run.workflow_name,
    run.user_email,
    run.cause ?? run.problem ?? "waits for the end of both runs",
    seconds(run.here?.seconds),
    seconds(run.there?.seconds),
  ]);
  return [
    to,
    ...waiting,
    "",
    ...inColumns([["RUNS", "RESULT"], ...results], { right: [0] }),
    "",
    ...inColumns([["USER", "COMPARED", "OPEN", "STATE", "COPIES"], ...people], { right: [1, 2] }),
    "",
    ...inColumns([["NAME", "USER", "RESULT", "SECONDS HERE", "THERE"], ...rows], { right: [3, 4] }),
  ];
}

function seconds(value: number | null | undefined): string {
  return typeof value === "number" ? value.toFixed(1) : "-";
}
