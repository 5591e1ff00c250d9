import { startApp } from "#app/start";
import { readConfig } from "#config/read";
import { serialEngine } from "#engines/serial/serial-engine";
import { armCrashPoint } from "#plumbing/crash-points";
import { runnable } from "../support/server-parts.ts";
import { surveyEngine } from "../support/survey-engine.ts";
import { evaluateTiny } from "../support/tiny-expressions.ts";

/**
 * The real server with one difference: it also runs surveys, which ask for files, and it makes a snapshot with every
 * other event.
 */
armCrashPoint(process.env);
const app = await startApp({ ...readConfig(process.env), port: 0 }, "0.0.0-survey", {
  engines: [runnable(serialEngine), runnable(surveyEngine, evaluateTiny)],
  snapshotEveryEvents: 2,
});
process.once("SIGTERM", () => void app.close());
process.stdout.write(`${app.url}\n`);
