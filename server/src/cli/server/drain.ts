import type { components, RepriseClient } from "reprise-sdk";
import { adminClient } from "#cli/connection/admin-client";
import { CommandError, UsageError } from "#cli/failure";
import type { CliContext, SettingOptions } from "#cli/context";
import type { Call } from "#cli/call";
import { maybeNamedClient } from "#cli/connection/open-client";

type DrainState = components["schemas"]["Drain"];

const POLL_INTERVAL_MS = 500;

/** Drains the server, or ends the drain, and prints how many runs are left. */
export async function drain(cli: CliContext, call: Call): Promise<void> {
  const { flags } = call;
  const [now, wait, end] = [flags("now"), flags("wait"), flags("end")];
  if (end && (now || wait)) throw new UsageError("--end cannot be combined with --now or --wait.");
  const client = (await maybeNamedClient(cli, call)) ?? (await clientOnFolder(cli, call.settings));
  const { data } = end
    ? await client.DELETE("/api/admin/drain")
    : await client.POST("/api/admin/drain", { body: { now } });
  const tell = (state: DrainState) => cli.print(flags("json") ? JSON.stringify(state) : inWords(state));
  tell(data!);
  if (wait && data!.runs_active > 0) tell(await waitUntilEmpty(cli, client));
}

async function clientOnFolder(cli: CliContext, settings: SettingOptions): Promise<RepriseClient> {
  const folder = cli.dataFolder(settings);
  if (await cli.isFolderInUse(settings)) return adminClient(folder);
  throw new CommandError(
    `No server is running on the data folder ${folder}, so there is nothing to drain. ` +
      "Name another server with --server, or REPRISE_SERVER in the environment.",
  );
}

async function waitUntilEmpty(cli: CliContext, client: RepriseClient): Promise<DrainState> {
  for (;;) {
    const { data } = await client.GET("/api/admin/drain");
    if (data!.draining === "no") {
      throw new CommandError(
        "The server starts runs again: it was restarted, or another command ended the drain.",
      );
    }
    if (data!.runs_active === 0) return data!;
    await new Promise<void>((resolve) => void cli.clock.after(POLL_INTERVAL_MS, resolve));
  }
}

function inWords({ draining, runs_active: active, runs_queued: queued }: DrainState): string {
  if (draining === "no") return "The server starts queued runs again.";
  const waiting = `${queued} queued ${queued === 1 ? "run waits" : "runs wait"} for the next start`;
  if (active === 0) {
    const jobs = draining === "handed-over" ? " Running jobs continue by themselves." : "";
    return `No active runs are left; ${waiting}.${jobs} Stop the server, upgrade it, and start it.`;
  }
  const runs = active === 1 ? "One run is" : `${active} runs are`;
  return `No more runs are started. ${runs} still running; ${waiting}, or for: reprise drain --end`;
}
