import { spawnSync } from "node:child_process";
import { CODE, ROOT, toolPath } from "./project.ts";

/** `npm run format [-- PATH …]`: writes the code, or those paths, as the formatter wants it. */
const paths = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  [toolPath("oxfmt"), "--write", ...(paths.length > 0 ? paths : CODE)],
  { cwd: ROOT, stdio: "inherit" },
);
process.exitCode = status ?? 1;
