import type { Call } from "#cli/call";
import type { CliContext } from "#cli/context";
import { UsageError } from "#cli/failure";
import { clientFor } from "#cli/server/hosts";

/** Announces a text, removes the announcement with `--end`, or shows it. */
export async function announce(cli: CliContext, call: Call): Promise<void> {
  const [text] = call.args;
  const end = call.flags("end");
  if (end && text !== undefined) throw new UsageError("--end removes the announcement: leave the text out.");
  const client = await clientFor(cli, call);
  const { data } = end
    ? await client.DELETE("/api/admin/announcement")
    : text === undefined
      ? await client.GET("/api/config")
      : await client.PUT("/api/admin/announcement", { body: { announcement: text } });
  const { announcement } = data!;
  if (call.flags("json")) return cli.print(JSON.stringify({ announcement }));
  cli.print(announcement === "" ? "There is no announcement." : `All users see: ${announcement}`);
}
