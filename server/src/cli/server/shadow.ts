import type { Call } from "#cli/call";
import { openClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import { UsageError } from "#cli/failure";
import { inColumns } from "#cli/terminal/columns";

/** Prints what differs between runs and their copies on another server, or switches the copies on or off. */
export async function shadow(cli: CliContext, call: Call): Promise<void> {
  const [isOn, isOff] = [call.flags("on"), call.flags("off")];
  if (isOn && isOff) throw new UsageError("Give --on or --off, not both.");
  const client = await openClient(cli, call);
  if (isOn || isOff) {
    const { data } = await client.PUT("/api/shadows", { body: { on: isOn } });
    if (call.flags("json")) return cli.print(JSON.stringify(data));
    return cli.print(`Your later runs are ${isOn ? "also" : "no longer"} sent to the other server.`);
  }
  const { data } = await client.GET("/api/shadows");
  if (call.flags("json")) return cli.print(JSON.stringify(data));
  const rows = data!.runs.map((run) => [
    run.workflow_name,
    run.user_email,
    run.cause ?? run.problem ?? "waits for the end of both runs",
    seconds(run.here?.seconds),
    seconds(run.there?.seconds),
  ]);
  const causes = data!.causes.map(({ cause, runs }) => [String(runs), cause]);
  for (const line of inColumns([["RUNS", "RESULT"], ...causes], { right: [0] })) cli.print(line);
  cli.print("");
  const head = ["NAME", "USER", "RESULT", "SECONDS HERE", "THERE"];
  for (const line of inColumns([head, ...rows], { right: [3, 4] })) cli.print(line);
}

function seconds(value: number | null | undefined): string {
  return typeof value === "number" ? value.toFixed(1) : "-";
}
