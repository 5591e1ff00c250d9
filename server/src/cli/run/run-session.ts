import type { CliContext, SettingOptions } from "#cli/context";
import type { RunSession } from "#cli/run/execute-run";
import { EXIT_STOPPED, listenForInterruption } from "#cli/run/interruption";
import { openRunService } from "#cli/run/service/open-run-service";
import type { ServerOptions } from "#cli/connection/server-variables";

export interface SessionDisplay {
  say(sentence: string): void;
  /** Stops all redrawing. Safe to call twice. */
  end(): void;
}

export interface SessionOptions {
  readonly display: SessionDisplay;
  readonly options: ServerOptions & { readonly verbose?: boolean };
  /** False for later runs of a series, so that messages about the server are printed once. */
  readonly isFirst?: boolean;
  /** Returns the name for the question at the first Ctrl-C. */
  what(): string;
}

/** Options that only this process can use, with the behaviour of a server. */
const UNUSED_ON_SERVER = {
  jobEnvironment: "--env is not used: a server gives its jobs its own environment (reprise serve --env).",
  backends: "--on is not used: a server has its own places for jobs (reprise serve --backends).",
  containers: "--containers is not used: a server has its own setting (reprise serve --containers).",
} as const;

/**
 * Wraps the runs of `reprise run`: opens the service, listens for Ctrl-C, and closes the service. Returns the exit
 * code.
 */
export async function withRunSession(
  cli: CliContext,
  settings: SettingOptions,
  { display, what, options, isFirst = true }: SessionOptions,
  work: (session: RunSession) => Promise<number>,
): Promise<number> {
  const service = await openRunService(cli, settings, options, (sentence) => display.say(sentence));
  if (service.server !== undefined && isFirst) {
    for (const [name, sentence] of Object.entries(UNUSED_ON_SERVER))
      if (settings[name] !== undefined) cli.printError(sentence);
    display.say(`Running on the server at ${service.server}.`);
  }
  const interruption = listenForInterruption(cli, {
    isAsking: cli.screen !== undefined,
    ask: () => display.say(`Press Ctrl-C again to stop ${what()}.`),
  });
  const { signal } = interruption;
  try {
    return await work({ service, clock: cli.clock, signal, isVerbose: options.verbose === true });
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    display.end();
    cli.printError("Stopped before the run started; nothing was kept.");
    return EXIT_STOPPED;
  } finally {
    display.end();
    interruption.stopListening();
    reportUnfinished(cli, await service.close());
  }
}

/** Reports runs left by an earlier command and resumed only while this command ran. */
function reportUnfinished(cli: CliContext, { unfinished }: { readonly unfinished: readonly string[] }): void {
  const [first] = unfinished;
  if (first === undefined) return;
  const runs = unfinished.length === 1 ? `${first} was` : `${unfinished.length} runs were`;
  const them = unfinished.length === 1 ? "it" : "them";
  cli.printError(`${runs} interrupted; "reprise serve" will resume ${them}.`);
}

export function exitCodeOf(status: string): number {
  if (status === "finished") return 0;
  return status === "stopped" ? EXIT_STOPPED : 1;
}
