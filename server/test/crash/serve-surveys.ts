import type { Backend, JobState } from "#backends/backend";
import { startApp } from "#app/start";
import { readConfig } from "#config/read";
import { serialEngine } from "#engines/serial/serial-engine";
import { armCrashPoint } from "#plumbing/crash-points";
import { runnable } from "../support/server-parts.ts";
import { surveyEngine } from "../support/engines/survey-engine.ts";
import { outsideIdOf } from "./promises/outside-ids.ts";
import { evaluateTiny } from "../support/engines/tiny-expressions.ts";

/**
 * The real server with three differences: surveys, which ask for files, are a further language; every other
 * event makes a snapshot; and jobs have an outside name, as in a cluster.
 */
armCrashPoint(process.env);
const app = await startApp({ ...readConfig(process.env), port: 0 }, "0.0.0-survey", {
  engines: [runnable(serialEngine), runnable(surveyEngine, evaluateTiny)],
  snapshotEveryEvents: 2,
  insteadOf: naming,
});
process.once("SIGTERM", () => void app.close());
process.stdout.write(`${app.url}\n`);

function naming(backend: Backend): Backend {
  const named = (id: string, state: JobState): JobState => ({ ...state, outsideId: outsideIdOf(id) });
  return {
    ...backend,
    submit: async (request) => named(request.id, await backend.submit(request)),
    watch: (listener) => backend.watch((id, state) => listener(id, named(id, state))),
  };
}
