import { spawnSync } from "node:child_process";
import { CODE, ROOT, toolPath } from "./project.ts";

/** `npm run format [-- PATH …]`: formats the code, or only the given paths. */
const paths = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  [toolPath("oxfmt"), "--write", ...(paths.length > 0 ? paths : CODE)],
  { cwd: ROOT, stdio: "inherit" },
);
process.exitCode = status ?? 1;
