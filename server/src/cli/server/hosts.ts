import type { components, RepriseClient } from "reprise-sdk";
import type { Call } from "#cli/call";
import { adminClient } from "#cli/connection/admin-client";
import { maybeNamedClient } from "#cli/connection/open-client";
import type { CliContext } from "#cli/context";
import { CommandError } from "#cli/failure";
import { inColumns } from "#cli/terminal/columns";

type Host = components["schemas"]["Host"];

/** Lists the hosts that share the server's database. */
export async function listHosts(cli: CliContext, call: Call): Promise<void> {
  const { data } = await (await clientFor(cli, call)).GET("/api/admin/hosts");
  const hosts = data!;
  if (call.flags("json")) return cli.print(JSON.stringify(hosts));
  const rows = hosts.map((host) => [
    host.name,
    host.state,
    host.seen ?? "-",
    String(host.runs_held),
    String(host.jobs_running),
    host.id,
  ]);
  for (const line of inColumns([["NAME", "STATE", "SEEN (UTC)", "RUNS", "JOBS", "ID"], ...rows], {
    right: [3, 4],
  })) {
    cli.print(line);
  }
}

/** Declares a host lost, by its id, or by its name if the name is unique. */
export async function declareLost(cli: CliContext, call: Call): Promise<void> {
  const client = await clientFor(cli, call);
  const wanted = call.args[0]!;
  const { id } = hostOf((await client.GET("/api/admin/hosts")).data!, wanted);
  const { data } = await client.POST("/api/admin/hosts/{host}/declare-lost", {
    params: { path: { host: id } },
  });
  const host = data!;
  if (call.flags("json")) return cli.print(JSON.stringify(host));
  cli.print(`${host.name} (${host.id}) is declared lost: its runs continue on other hosts.`);
}

/** Declares a job lost whose node does not answer, by its id. */
export async function declareJobLost(cli: CliContext, call: Call): Promise<void> {
  const client = await clientFor(cli, call);
  const { data } = await client.POST("/api/admin/jobs/{job}/declare-lost", {
    params: { path: { job: call.args[0]! } },
  });
  const job = data!;
  if (call.flags("json")) return cli.print(JSON.stringify(job));
  cli.print(`The job ${job.id} of the step "${job.name}" is declared lost: its run continues without it.`);
}

function hostOf(hosts: readonly Host[], wanted: string): Host {
  const found = hosts.filter(({ id, name }) => id === wanted || name === wanted);
  if (found.length === 1) return found[0]!;
  if (found.length === 0) {
    throw new CommandError(
      `No host has the id or the name ${wanted}. \`reprise admin hosts\` lists the hosts.`,
    );
  }
  const ids = found.map(({ id }) => id).join(", ");
  throw new CommandError(
    `${found.length} hosts have the name ${wanted}: give the id of one of them (${ids}).`,
  );
}

/** Returns the administrator's client for the named server, or for the one on the data folder. */
export async function clientFor(cli: CliContext, call: Call): Promise<RepriseClient> {
  const named = await maybeNamedClient(cli, call);
  if (named) return named;
  const folder = cli.dataFolder(call.settings);
  if (await cli.isFolderInUse(call.settings)) return adminClient(folder);
  throw new CommandError(
    `No server is running on the data folder ${folder}. Start one with \`reprise serve\`, ` +
      "or name another server with --server, or REPRISE_SERVER in the environment.",
  );
}
