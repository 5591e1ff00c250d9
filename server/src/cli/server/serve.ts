import os from "node:os";
import type { Call } from "#cli/call";
import type { CliContext, RunningServer } from "#cli/context";
import { listenForStop } from "#cli/terminal/stop-signals";
import { unknownSettings } from "#cli/server/unknown-settings";
import { shellQuote } from "#plumbing/text/shell-quote";

/** Serves until asked to stop. Returns the exit code. */
export async function serve(cli: CliContext, { settings, flags }: Call): Promise<number> {
  const [stopJobs, asJson] = [flags("stopJobs"), flags("json")];
  const server = await cli.startServer(settings);
  for (const sentence of [...unknownSettings(cli), ...server.warnings]) cli.printError(sentence);
  const stopReopening = reopenOnHangUp(cli, server);
  let isStopped = false;
  const asked = listenForStop(cli, (signal) => {
    if (!isStopped) cli.exit(128 + os.constants.signals[signal]);
  });
  for (const line of asJson ? [inJson(server)] : inFourLines(cli.version, server)) cli.print(line);
  await asked;
  if (!asJson) cli.print(stopJobs ? "Stopping, and the jobs with it …" : "Stopping …");
  const { jobsLeftRunning } = await server.close({ stopJobs });
  isStopped = true;
  stopReopening();
  cli.print(farewell(jobsLeftRunning, asJson));
  return 0;
}

/**
 * Reopens the log at SIGHUP, so that another program can rotate it. At a terminal, SIGHUP stops the server
 * instead, because the signal means that the terminal was closed.
 */
function reopenOnHangUp(cli: CliContext, server: RunningServer): () => void {
  return cli.isTerminal ? () => undefined : cli.onSignal("SIGHUP", () => server.reopenLog());
}

/**
 * Says where the server is, how to use it and where it keeps its files. The token is not shown: screens are shared and
 * recorded. The code in the address of the page is worthless after its first use, or ten minutes.
 */
function inFourLines(version: string, server: RunningServer): string[] {
  const token = `"$(cat ${shellQuote(server.adminTokenFile)})"`;
  return [
    `Reprise ${version} is ready at ${server.url} (Ctrl-C stops it)`,
    `Its page: ${server.signInUrl} (signs in once, within ten minutes; \`reprise login\` prints another)`,
    `To use it: export REANA_SERVER_URL=${server.url} REANA_ACCESS_TOKEN=${token}; reana-client ping`,
    `Its API: ${server.url}/api/docs, its data: ${server.dataFolder}, its log: ${server.logFile ?? "standard error"}`,
  ];
}

function inJson(server: RunningServer): string {
  return JSON.stringify({
    url: server.url,
    sign_in_url: server.signInUrl,
    data_folder: server.dataFolder,
    admin_token_file: server.adminTokenFile,
    log_file: server.logFile ?? null,
  });
}

function farewell(jobsLeftRunning: number, asJson: boolean): string {
  if (asJson) return JSON.stringify({ stopped: true, jobs_running: jobsLeftRunning });
  if (jobsLeftRunning === 0) return "Stopped.";
  const jobs = jobsLeftRunning === 1 ? "1 job continues" : `${jobsLeftRunning} jobs continue`;
  return `Stopped. ${jobs}; \`reprise serve\` will find ${jobsLeftRunning === 1 ? "it" : "them"}.`;
}
