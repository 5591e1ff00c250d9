import type { RepriseClient } from "reprise-sdk";
import type { CliContext } from "#cli/context";
import { displayFor } from "#cli/run/display/display-for";
import { reportInJson, reportInWords } from "#cli/run/display/report";
import { waitForEnd } from "#cli/run/execute-run";
import { listenForInterruption } from "#cli/run/interruption";
import { exitCodeOf } from "#cli/run/run-session";
import { runsOverHttp } from "#cli/run/service/runs-over-http";

export interface FollowedHere {
  readonly workflow_id: string;
  readonly workflow_name: string;
  /** The sentence about the start. */
  readonly sentence: string;
  readonly asJson: boolean;
}

/**
 * Follows a run in this process to its end, as `reprise run` does. The output files stay in the workspace.
 */
export async function followHere(
  cli: CliContext,
  client: RepriseClient,
  { workflow_id: id, workflow_name: name, sentence, asJson }: FollowedHere,
): Promise<number> {
  const service = runsOverHttp(client);
  const display = displayFor(cli, asJson);
  const run = { id, name, warnings: [] };
  const { signal, stopListening } = listenForInterruption(cli, {
    isAsking: cli.screen !== undefined,
    ask: () => display.say(`Press Ctrl-C again to stop ${name}.`),
  });
  try {
    display.created(run);
    display.say(sentence);
    const outcome = await waitForEnd({ service, clock: cli.clock, signal, isVerbose: false }, run, display);
    const failure = outcome.status === "failed" ? await service.failure(id) : undefined;
    display.end();
    const report = asJson ? reportInJson : reportInWords;
    report(cli, { outcome, failure, copied: undefined, server: undefined });
    if (outcome.status === "finished" && !asJson) cli.printError(`Its files: reprise download ${name}`);
    return exitCodeOf(outcome.status);
  } finally {
    display.end();
    stopListening();
  }
}
