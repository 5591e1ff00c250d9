import type { RunnableEngine } from "#app/server-parts";
import { serialEngine } from "#engines/serial/serial-engine";
import { inProcessRuntime } from "#runner/engine/engine-runtime";

/** Engines of the workflow languages that this product runs. */
export const ENGINES: readonly RunnableEngine[] = [
  { engine: serialEngine, runtime: inProcessRuntime(serialEngine) },
];
