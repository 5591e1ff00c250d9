import type { Call } from "#cli/call";
import type { CliContext } from "#cli/context";
import { clientFor } from "#cli/server/hosts";
import { daysOf } from "#cli/server/retention";

/** Prints a status report of the server, or has it sent to the administrators. */
export async function report(cli: CliContext, call: Call): Promise<void> {
  const params = { query: { days: daysOf(call, 1) } };
  const client = await clientFor(cli, call);
  if (call.flags("mail")) {
    const { data } = await client.POST("/api/admin/report", { params });
    if (call.flags("json")) return cli.print(JSON.stringify(data));
    return cli.print(`The report was sent to ${data!.sent_to.join(", ")}.`);
  }
  const { data } = await client.GET("/api/admin/report", { params });
  cli.print(call.flags("json") ? JSON.stringify(data) : data!.text.trimEnd());
}
