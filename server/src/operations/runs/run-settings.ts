import type { KeptSettings } from "#workflow/run/kept-settings";

/** Times to keep the remains of ended runs. Optional: if undefined, for ever. */
export interface Keep {
  readonly runsMs?: number | undefined;
  /** For the bodies of events, and snapshots. */
  readonly eventsMs?: number | undefined;
}

/** Settings of the server about runs. */
export interface RunSettings extends KeptSettings {
  /** Retention times of ended runs, and of the contents of their events. Default: for ever. */
  readonly keep?: Keep | undefined;
  /** Host of the server to which started runs are also sent. */
  readonly shadowHost?: string | undefined;
}

/** Returns the settings that a run keeps from its start. A fresh run takes no jobs over. */
export function keptSettings(
  { keep: _, shadowHost: __, ...kept }: RunSettings,
  { fresh = false }: { readonly fresh?: boolean },
): KeptSettings {
  return fresh ? { ...kept, reuseAcrossRuns: false } : kept;
}
