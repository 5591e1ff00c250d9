import type { RunnableEngine } from "#app/server-parts";
import { withDask } from "#engines/dask/with-dask";
import { serialEngine } from "#engines/serial/serial-engine";
import { ownModule } from "#plumbing/own-module";
import { inProcessRuntime } from "#runner/engine/engine-runtime";
import { workerRuntime } from "#runner/engine/worker-runtime";

/**
 * Engines of the workflow languages that run on every machine (`snakemake.ts` adds Snakemake). Serial has no
 * expressions and runs in this process; worker processes load the other engines when a run first needs them.
 */
export const ENGINES: readonly RunnableEngine[] = [
  { language: "serial", readsDocuments: false, runtime: inProcessRuntime(withDask(serialEngine)) },
  {
    language: "cwl",
    readsDocuments: true,
    findsReusable: true,
    namesImages: true,
    runtime: workerRuntime({ module: ownModule("#engines/cwl/cwl-module") }),
  },
  {
    language: "yadage",
    readsDocuments: true,
    findsReusable: true,
    runtime: workerRuntime({ module: ownModule("#engines/yadage/yadage-module") }),
  },
];
