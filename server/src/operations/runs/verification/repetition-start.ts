import type { RerunExtras } from "#operations/runs/start/create-rerun";
import type { RestartInput } from "#operations/runs/start/restart-run";
import type { RunDefinition } from "#store/runs/runs";

/** The rerun that carries out a repetition. */
export interface RepetitionStart {
  readonly input: RestartInput;
  readonly extras: RerunExtras;
}

/** Options of a start that say where a run continues earlier work. A repetition does all the work again. */
export const CONTINUING = new Set(["CACHE", "FROM"]);

/** Returns the options of the recorded start that a repetition keeps. */
export function optionsToRepeat({ operationalOptions }: RunDefinition): Record<string, unknown> {
  return Object.fromEntries(Object.entries(operationalOptions).filter(([key]) => !CONTINUING.has(key)));
}
