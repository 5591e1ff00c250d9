import { adminClient } from "#cli/connection/admin-client";
import { type Finding, note, ok, warning } from "#cli/server/doctor/finding";
import { connectTo, maybeLiveServer } from "#cli/connection/live-server";
import type { CliContext, SettingOptions } from "#cli/context";
import { messageOf } from "#plumbing/errors";

export async function checkServer(dataFolder: string): Promise<Finding> {
  const server = await maybeLiveServer(dataFolder);
  if (server === undefined) {
    return note("server", "none is running on this data folder; `reprise serve` starts one");
  }
  try {
    const { data } = await connectTo(server).GET("/api/ping");
    return ok("server", `Reprise ${data?.reana_server_version} answers at ${server.url}`);
  } catch (error) {
    return warning("server", `no response from ${server.url}, the last known address: ${messageOf(error)}`);
  }
}

/** Reports the live server's queue, and whether a drain keeps it from starting runs. */
export async function checkQueue(cli: CliContext, settings: SettingOptions): Promise<Finding> {
  if (!(await cli.isFolderInUse(settings))) return note("queue", "unknown, because no server is running");
  try {
    const client = await adminClient(cli.dataFolder(settings));
    const { data } = await client.GET("/api/admin/drain");
    const { draining, runs_active: active, runs_queued: queued } = data!;
    const runs = `${active} active, ${queued} queued`;
    if (draining === "no") return ok("queue", runs);
    return warning(
      "queue",
      `${runs}; the server is drained and starts no run. \`reprise drain --end\` ends that.`,
    );
  } catch (error) {
    return warning("queue", `unknown: ${messageOf(error)}`);
  }
}
