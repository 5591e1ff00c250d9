import type { RunnableEngine } from "#app/server-parts";
import { serialEngine } from "#engines/serial/serial-engine";
import { inProcessRuntime } from "#runner/engine-runtime";

/** Engines of the workflow languages that this product runs. */
export const ENGINES: readonly RunnableEngine[] = [
  { engine: serialEngine, runtime: inProcessRuntime(serialEngine) },
];

/**
 * Accepted compute backends. A step of an analysis made for REANA may name Kubernetes, REANA's default: it runs locally
 * here.
 */
export const COMPUTE_BACKENDS = ["local", "kubernetes"];
