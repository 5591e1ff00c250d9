import { spawnSync } from "node:child_process";
import path from "node:path";

/** `npm run test:clusters`, once the packages are installed: the folder of the tests reaches no network. */
const SCRIPT = path.join(import.meta.dirname, "clusters.sh");
const { status } = spawnSync("bash", [SCRIPT, ...process.argv.slice(2)], { stdio: "inherit" });
process.exitCode = status ?? 1;
