import { type Finding, ok, warning } from "#cli/doctor/finding";
import { connectTo, maybeLiveServer } from "#cli/live-server";
import { messageOf } from "#plumbing/errors";

export async function checkServer(dataFolder: string): Promise<Finding> {
  const server = await maybeLiveServer(dataFolder);
  if (server === undefined) {
    return warning("server", "none runs on this data folder; `reprise serve` starts one");
  }
  try {
    const { data } = await connectTo(server).GET("/api/ping");
    return ok("server", `Reprise ${data?.reana_server_version} answers at ${server.url}`);
  } catch (error) {
    return warning("server", `none answers at ${server.url}, where the last one was: ${messageOf(error)}`);
  }
}
