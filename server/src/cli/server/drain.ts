import type { components, RepriseClient } from "reprise-sdk";
import { adminClient } from "#cli/connection/admin-client";
import { CommandError, UsageError } from "#cli/failure";
import type { CliHost, SettingOptions } from "#cli/host";
import type { Call } from "#cli/call";
import { maybeNamedClient } from "#cli/connection/open-client";

type DrainState = components["schemas"]["Drain"];

export interface DrainOptions {
  readonly now: boolean;
  readonly wait: boolean;
  readonly end: boolean;
  readonly asJson: boolean;
}

const LOOK_EVERY_MS = 500;

/** Drains the server, or ends the drain, and prints how many runs are left. */
export async function drain(
  host: CliHost,
  call: Pick<Call, "options" | "settings">,
  options: DrainOptions,
): Promise<void> {
  const { now, wait, end, asJson } = options;
  if (end && (now || wait)) throw new UsageError("--end cannot be combined with --now or --wait.");
  const client = (await maybeNamedClient(host, call)) ?? (await clientOnFolder(host, call.settings));
  const { data } = end
    ? await client.DELETE("/api/admin/drain")
    : await client.POST("/api/admin/drain", { body: { now } });
  const tell = (state: DrainState) => host.print(asJson ? JSON.stringify(state) : inWords(state));
  tell(data!);
  if (wait && data!.runs_under_way > 0) tell(await untilEmpty(host, client));
}

async function clientOnFolder(host: CliHost, settings: SettingOptions): Promise<RepriseClient> {
  const folder = host.dataFolder(settings);
  if (await host.isFolderInUse(settings)) return adminClient(folder);
  throw new CommandError(
    `No server is running on the data folder ${folder}, so there is nothing to drain. ` +
      "Name another server with --server, or REPRISE_SERVER in the environment.",
  );
}

async function untilEmpty(host: CliHost, client: RepriseClient): Promise<DrainState> {
  for (;;) {
    const { data } = await client.GET("/api/admin/drain");
    if (data!.draining === "no") {
      throw new CommandError(
        "The server starts runs again: it was restarted, or another command ended the drain.",
      );
    }
    if (data!.runs_under_way === 0) return data!;
    await new Promise<void>((resolve) => void host.clock.after(LOOK_EVERY_MS, resolve));
  }
}

function inWords({ draining, runs_under_way: underWay, runs_queued: queued }: DrainState): string {
  if (draining === "no") return "The server starts queued runs again.";
  const waiting = `${queued} queued ${queued === 1 ? "run waits" : "runs wait"} for the next start`;
  if (underWay === 0) {
    const jobs = draining === "handed-over" ? " Running jobs continue by themselves." : "";
    return `No active runs are left; ${waiting}.${jobs} Stop the server, upgrade it, and start it.`;
  }
  const runs = underWay === 1 ? "One run is" : `${underWay} runs are`;
  return `No more runs are started. ${runs} still running; ${waiting}, or for: reprise drain --end`;
}
