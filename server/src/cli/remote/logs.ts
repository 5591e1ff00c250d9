import type { RepriseClient } from "reprise-sdk";
import { EXIT_FAILURE } from "#cli/failure";
import type { CliHost } from "#cli/host";
import { type Call, optionsOf } from "#cli/remote/call";
import { openClient } from "#cli/remote/open-client";
import { hasEnded } from "#cli/remote/status-row";
import { LOOK_EVERY_MS } from "#cli/remote/watch-status";
import { of, workflowOf } from "#cli/remote/workflow-address";
import { printable } from "#plumbing/printable";

interface Logs {
  readonly workflow_logs: string | null;
  readonly job_logs: Readonly<Record<string, { job_name: string | null; status: string; logs: string }>>;
}

/** What the jobs of a run printed, and at the end what the engine said; with `-f` as it comes, until the run has ended. */
export async function logs(host: CliHost, call: Call): Promise<number> {
  const workflow = workflowOf(host, call, call.args[0]);
  const client = await openClient(host, call);
  const steps = optionsOf(call, "step");
  if (call.flags("follow")) return follow(host, client, workflow, steps);
  const said = await readLogs(client, workflow);
  if (call.flags("json")) {
    host.print(JSON.stringify({ ...said, job_logs: Object.fromEntries(jobsOf(said, steps)) }));
    return 0;
  }
  const printer = newPrinter(host);
  for (const [id, job] of jobsOf(said, steps)) printer.print(id, nameOf(job), job.logs);
  if (steps.length === 0 && said.workflow_logs) printer.print("", "engine", said.workflow_logs);
  return 0;
}

/** The status is asked first: what a run that has ended had to say is all there by then. */
async function follow(
  host: CliHost,
  client: RepriseClient,
  workflow: string,
  steps: readonly string[],
): Promise<number> {
  const printer = newPrinter(host);
  let isTold = false;
  for (;;) {
    const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/status", {
      params: of(workflow),
    });
    const said = await readLogs(client, workflow);
    for (const [id, job] of jobsOf(said, steps)) printer.print(id, nameOf(job), job.logs);
    if (hasEnded(data!.status)) {
      if (data!.status === "failed" && said.workflow_logs) host.complain(lastLine(said.workflow_logs));
      const verb = data!.status === "finished" || data!.status === "failed" ? "has" : "is";
      host.complain(`${data!.name} ${verb} ${data!.status}.`);
      return data!.status === "finished" ? 0 : EXIT_FAILURE;
    }
    if (data!.status === "created" && !isTold) host.complain(`${data!.name} has not been started yet.`);
    isTold = true;
    await new Promise<void>((resolve) => void host.clock.after(LOOK_EVERY_MS, resolve));
  }
}

async function readLogs(client: RepriseClient, workflow: string): Promise<Logs> {
  const { data } = await client.GET("/api/workflows/{workflow_id_or_name}/logs", { params: of(workflow) });
  return JSON.parse(data!.logs) as Logs;
}

function jobsOf({ job_logs: jobs }: Logs, steps: readonly string[]) {
  const all = Object.entries(jobs);
  return steps.length === 0 ? all : all.filter(([, job]) => steps.includes(nameOf(job)));
}

function nameOf({ job_name: name }: { job_name: string | null }): string {
  return name ?? "";
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}

/** Each text under a heading that says whose it is; of one that has grown, what is new. */
function newPrinter(host: CliHost) {
  const shown = new Map<string, number>();
  let current: string | undefined;
  return {
    print(id: string, name: string, text: string): void {
      const from = shown.get(id) ?? 0;
      if (text.length <= from) return;
      if (current !== id) host.print(`==> ${printable(name, 200)} <==`);
      current = id;
      shown.set(id, text.length);
      const fresh = text.slice(from);
      host.printPart(fresh);
      // So that what follows begins a line of its own.
      if (!fresh.endsWith("\n")) {
        host.printPart("\n");
        shown.set(id, text.length);
      }
    },
  };
}
