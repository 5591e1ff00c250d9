import { chmodSync, copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import process from "node:process";

const STAND_IN = path.join(import.meta.dirname, "stand-in-fixture.sh");
const COMMANDS = ["submit", "q", "history", "status", "release", "rm"].map((name) => `condor_${name}`);

/** Installs stand-ins for the commands of HTCondor in a folder. Returns the settings of a server that uses them. */
export function installCondorStandIn(tools: string): Record<string, string> {
  mkdirSync(path.join(tools, "state"), { recursive: true });
  for (const name of COMMANDS) {
    copyFileSync(STAND_IN, path.join(tools, name));
    chmodSync(path.join(tools, name), 0o755);
  }
  return { PATH: `${tools}:${process.env["PATH"]}`, REPRISE_BACKENDS: "htcondor,local" };
}
