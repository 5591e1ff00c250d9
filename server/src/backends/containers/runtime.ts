import process from "node:process";
import { probeApptainer, type WritableRoot } from "#backends/containers/apptainer/apptainer-runtime";
import { failureOf, runProgram } from "#backends/containers/run-program";
import { isProgram, maybeProgram } from "#plumbing/files/find-program";

/** The runtime that the administrator asks for. */
export type RuntimeChoice = "auto" | RuntimeName | "none";
export type RuntimeName = "podman" | "docker" | "apptainer";

/** A container runtime of this machine. Podman and docker take the same words. */
export interface Runtime {
  readonly name: RuntimeName;
  readonly program: string;
  readonly version: string;
  /** True if its containers run in a user namespace of the server's user. */
  readonly isRootless: boolean;
  /** The sizes of podman's namespaces of users and groups. The first id of each is the server's own. */
  readonly ids?: { readonly users: number; readonly groups: number };
  /** The folder of its images and containers. Empty: unknown, or on another machine. */
  readonly storage: string;
  /**
   * True if the runtime can put a small init before the command, to pass signals on as outside a container.
   */
  readonly hasInit: boolean;
  /** The root file system that Apptainer can give to a job. Absent for other runtimes, whose jobs may always write theirs. */
  readonly writableRoot?: WritableRoot;
}

/** The reason why no runtime is usable, as a sentence. */
export interface NoRuntime {
  readonly problem: string;
}

const INSTALL = "installed. Install podman (Debian: apt install podman catatonit uidmap).";
export const NO_RUNTIME = `Neither podman nor docker nor apptainer is ${INSTALL}`;
const INSTALL_APPTAINER =
  "apptainer is not installed. Install it from the packages of your system, or from apptainer.org.";

const PROBE_TIMEOUT_MS = 20_000;

/** The fields of a version and of the state that the two print for a template. Sizes are printed as `+1+65536`. */
const TEMPLATES = {
  podman:
    "{{.Version.Version}} {{.Host.Security.Rootless}} {{range .Host.IDMappings.UIDMap}}+{{.Size}}{{end}} " +
    "{{range .Host.IDMappings.GIDMap}}+{{.Size}}{{end}} {{.Store.GraphRoot}}",
  docker:
    '{{.ServerVersion}} {{range .SecurityOptions}}{{if eq . "name=rootless"}}true{{end}}{{end}} {{.DockerRootDir}}',
} as const satisfies Record<Exclude<RuntimeName, "apptainer">, string>;

/** The places where podman looks for the init, which Debian packages as `catatonit`. */
const INITS = [
  "/usr/libexec/podman/catatonit",
  "/usr/local/libexec/podman/catatonit",
  "/usr/local/lib/podman/catatonit",
  "/usr/lib/podman/catatonit",
  "/usr/bin/catatonit",
];

/** Returns the allowed runtimes with a program in the PATH, the best first. */
export function installedRuntimes(choice: RuntimeChoice): readonly RuntimeName[] {
  const all = ["podman", "docker", "apptainer"] as const;
  const names = choice === "auto" ? all : choice === "none" ? [] : [choice];
  return names.filter((name) => maybeProgram(name) !== undefined);
}

/** Looks for a runtime that works. With `auto`, an installed runtime that does not work counts as absent. */
export async function findRuntime(choice: Exclude<RuntimeChoice, "none">): Promise<Runtime | NoRuntime> {
  const installed = installedRuntimes(choice);
  const problems: string[] = [];
  for (const name of installed) {
    const found = await probe(name);
    if (!("problem" in found)) return found;
    problems.push(found.problem);
  }
  if (problems.length > 0) return { problem: problems.join(" ") };
  if (choice === "apptainer") return { problem: INSTALL_APPTAINER };
  return { problem: choice === "auto" ? NO_RUNTIME : `${choice} is not ${INSTALL}` };
}

async function probe(name: RuntimeName): Promise<Runtime | NoRuntime> {
  if (name === "apptainer") return probeApptainer();
  const program = maybeProgram(name)!;
  const result = await runProgram([program, "info", "--format", TEMPLATES[name]], {
    timeoutMs: PROBE_TIMEOUT_MS,
  });
  const [version = "", rootless, ...rest] = result.stdout.trim().split(" ");
  const [users = "", groups = ""] = rest;
  const storage = isElsewhere(name) ? "" : rest.slice(name === "podman" ? 2 : 0).join(" ");
  if (result.code !== 0 || !/^\d/.test(version))
    return { problem: `${name} is installed, but does not work: ${failureOf(result)}` };
  const hasInit = name === "docker" || INITS.some(isProgram);
  const isRootless = rootless === "true";
  const ids = { users: sumOf(users), groups: sumOf(groups) };
  const hasIds = isRootless && name === "podman";
  return { name, program, version, isRootless, storage, hasInit, ...(hasIds && { ids }) };
}

/**
 * Returns whether the daemon may run on another machine. The folders in its answers are then not on this
 * machine.
 */
function isElsewhere(name: RuntimeName): boolean {
  const host = process.env["DOCKER_HOST"] ?? "";
  return name === "docker" && host !== "" && !host.startsWith("unix:");
}

/** Adds up `+1+65536`. */
function sumOf(sizes: string): number {
  return sizes.split("+").reduce((sum, size) => sum + Number(size), 0);
}
