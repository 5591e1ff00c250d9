import { readFileSync } from "node:fs";
import os from "node:os";
import { maybeHostProgram, programMounts } from "#app/jobs/host-programs";
import type { RunnableEngine } from "#app/server-parts";
import type { HostMount } from "#backends/walls/bubblewrap";
import type { Config } from "#config/settings";
import { withDask } from "#engines/dask/with-dask";
import { createSnakemakeEngine } from "#engines/snakemake/snakemake-engine";
import { inProcessRuntime } from "#runner/engine/engine-runtime";

type Settings = Pick<Config, "snakemake"> & Partial<Pick<Config, "cores" | "dataFolder">>;

/**
 * Returns the engine of Snakemake, unless the settings disable Snakemake. The program is looked up on each
 * use, so a running server finds a new installation. Throws a SettingError if `--snakemake` names a program
 * that does not exist.
 */
export function maybeSnakemake(config: Settings): RunnableEngine | undefined {
  const { snakemake, cores = os.availableParallelism() } = config;
  if (snakemake === "none") return undefined;
  const named = snakemake === undefined ? undefined : maybeSnakemakeProgram(config);
  const find = () => named ?? maybeSnakemakeProgram(config);
  const engine = createSnakemakeEngine({
    get program() {
      return find() ?? "snakemake";
    },
    plugin: readPlugin(),
    maxThreads: cores,
  });
  return {
    language: "snakemake",
    readsDocuments: true,
    isAvailable: () => find() !== undefined,
    runtime: inProcessRuntime(withDask(engine)),
  };
}

/** Returns the path of Snakemake: from the settings, from `reprise setup`, or from the PATH. */
export function maybeSnakemakeProgram({ snakemake, dataFolder }: Settings): string | undefined {
  return maybeHostProgram("snakemake", { name: "--snakemake", value: snakemake }, dataFolder);
}

function readPlugin(): Readonly<Record<string, string>> {
  const main = new URL(
    "../engines/snakemake/plugin/snakemake_executor_plugin_reprise/__init__.py",
    import.meta.url,
  );
  const described = new URL(
    "../engines/snakemake/plugin/snakemake_executor_plugin_reprise/described.py",
    import.meta.url,
  );
  const endedBefore = new URL(
    "../engines/snakemake/plugin/snakemake_executor_plugin_reprise/ended_before.py",
    import.meta.url,
  );
  return {
    "__init__.py": readFileSync(main, "utf8"),
    "described.py": readFileSync(described, "utf8"),
    "ended_before.py": readFileSync(endedBefore, "utf8"),
  };
}

/** Returns the mounts that show Snakemake and its Python to jobs. */
export function snakemakeMounts(config: Pick<Config, "snakemake" | "dataFolder">): HostMount[] {
  return programMounts(maybeSnakemakeProgram(config), config.dataFolder);
}
