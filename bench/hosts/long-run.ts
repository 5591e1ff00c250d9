import { inProcessRuntime } from "../../server/src/runner/engine/engine-runtime.ts";
import { serialEngine } from "../../server/src/engines/serial/serial-engine.ts";
import { migrate } from "../../server/src/store/database/database.ts";
import { openSqlite } from "../../server/src/store/dialects/sqlite.ts";
import { maybeRun } from "../../server/src/store/runs/runs.ts";
import { drive } from "./drive.ts";
import { queueRun } from "./ending-at-once.ts";

/**
 * `long-run.ts DATABASE STEPS [DIE-AFTER]`: runs a serial run with that many steps, whose jobs end as soon as they are
 * submitted, without processes: only the runner's own work remains. Prints the duration and the memory of the run as
 * JSON. With DIE-AFTER it dies of SIGKILL after that many jobs, and the next call resumes the run.
 */
const [file = "", steps = "0", dieAfter = "Infinity"] = process.argv.slice(2);
const RUN = "long-run";

const db = openSqlite(file, "normal");
await migrate(db);
if (!(await maybeRun(db, RUN))) {
  const each = Array.from({ length: Number(steps) }, () => ({ commands: ["true"] }));
  await queueRun(db, RUN, { type: "serial", specification: { steps: each } });
}

const engines = new Map([["serial" as const, inProcessRuntime(serialEngine)]]);
const { scheduler: _, ...told } = await drive(db, {
  run: RUN,
  engines,
  cores: 1,
  dieAfter: Number(dieAfter),
});
await db.destroy();
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ ...told, peakMb }));
