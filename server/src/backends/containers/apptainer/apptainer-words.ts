import { isolationWords, rootWords } from "#backends/containers/apptainer/apptainer-runtime";
import { bindWord, type Container, scriptWords } from "#backends/containers/run-words";
import type { Runtime } from "#backends/containers/runtime";
import { isSpecial } from "#backends/walls/inside-variables";
import { shellQuote } from "#plumbing/text/shell-quote";

/** The variables that Apptainer adds, which no job sees elsewhere. */
const OF_APPTAINER = [
  ...["APPNAME", "BIND", "COMMAND", "CONTAINER", "ENVIRONMENT", "NAME", "NO_EVAL"].flatMap((name) => [
    `APPTAINER_${name}`,
    `SINGULARITY_${name}`,
  ]),
  "PROMPT_COMMAND",
  "PS1",
  "OLDPWD",
];

/** A container of Apptainer. All paths are absolute. */
export interface ApptainerContainer extends Container {
  /** The folder or the SIF file of the image. */
  readonly image: string;
  /** The ENTRYPOINT of the image. */
  readonly entrypoint: readonly string[];
  /** A folder for the files that the job writes outside its mounts. */
  readonly upperFolder: string;
}

/**
 * Returns the words that run a command in an image by Apptainer. The words depend on nothing but their arguments, so that
 * they also work on the node of a cluster.
 */
export function apptainerWords(runtime: Runtime, container: ApptainerContainer): [string, ...string[]] {
  const { binds, environmentFile, idFile, workingFolder, hasNetwork, callProfile, user, image } = container;
  const { isRootless, writableRoot = "none" } = runtime;
  const own = [
    { from: environmentFile, at: environmentFile, mode: "read" },
    { from: idFile, at: idFile, mode: "write" },
  ] as const;
  return [
    runtime.program,
    "--silent",
    "exec",
    ...isolationWords({ isRootless, user: isRootless ? undefined : user, hasNetwork }),
    ...(callProfile === undefined ? [] : [`--security=seccomp:${callProfile}`]),
    ...rootWords(writableRoot, container.upperFolder),
    ...container.devices,
    ...[...binds, ...own].map((bind) => `--mount=${bindWord(bind, { target: "destination", read: "ro" })}`),
    `--cwd=${workingFolder}`,
    image,
    "/bin/sh",
    environmentFile,
    ...commandWords(container),
  ];
}

/** A program is given to the image's ENTRYPOINT. A script is run by bash, as in REANA. */
function commandWords({ command, scriptFile, isMerged, entrypoint }: ApptainerContainer): readonly string[] {
  if ("script" in command) return ["bash", ...scriptWords(command.script, scriptFile, isMerged)];
  const argv = [...entrypoint, ...command.argv];
  // `env` would take such a program for a variable.
  return argv[0]!.includes("=") ? ["sh", "-c", 'exec "$0" "$@"', ...argv] : argv;
}

/**
 * Returns the shell script that gives the command its variables and starts it. Apptainer's own file of variables is
 * expanded by a shell, and cannot hold every name. `made` receives a line as soon as the container exists.
 */
export function startScript(variables: Readonly<Record<string, string>>, made: string): string {
  const pairs = Object.entries(variables);
  // A shell cannot export variables such as UID.
  const isExported = ([name]: readonly [string, string]) => /^[A-Za-z_]\w*$/.test(name) && !isSpecial(name);
  const exports = pairs.filter(isExported).map(([name, value]) => `export ${name}=${shellQuote(value)}\n`);
  const others = pairs
    .filter((pair) => !isExported(pair))
    .map(([name, value]) => shellQuote(`${name}=${value}`));
  return [
    `unset ${OF_APPTAINER.join(" ")}\n`,
    // Apptainer's folder for the libraries of GPUs, which the job has not asked for.
    "case $LD_LIBRARY_PATH in /.singularity.d/libs) unset LD_LIBRARY_PATH ;; esac\n",
    `echo made > ${shellQuote(made)}\n`,
    // Found in the image's own PATH, because the job's may lack it.
    "reprise_env=$(command -v env)\n",
    ...exports,
    FIND_PROGRAM,
    `set -- "$reprise_env" -- ${others.join(" ")} "$@"\n`,
    "unset reprise_env reprise_found reprise_rest\n",
    'exec "$@"\n',
  ].join("");
}

/** Finds the program in the PATH of the job. The shell and the `env` of busybox would prefer what is built into them. */
const FIND_PROGRAM = `reprise_found= reprise_rest=$PATH:
case $1 in
  */*) ;;
  ?*)
    while [ -z "$reprise_found" ] && [ -n "$reprise_rest" ]; do
      reprise_found=\${reprise_rest%%:*}/$1 reprise_rest=\${reprise_rest#*:}
      if [ ! -f "$reprise_found" ] || [ ! -x "$reprise_found" ]; then reprise_found=; fi
    done ;;
esac
if [ -n "$reprise_found" ]; then
  shift
  set -- "$reprise_found" "$@"
fi
`;
