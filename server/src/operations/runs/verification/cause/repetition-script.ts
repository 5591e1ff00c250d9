import { CLOCKS } from "#operations/runs/verification/cause/conditions";
import type { RepeatedCommand } from "#operations/runs/verification/cause/issued-command";
import {
  type Undeclared,
  undeclaredLines,
  variableLines,
} from "#operations/runs/verification/cause/step-reads";
import { shellQuote } from "#plumbing/text/shell-quote";
import type { Condition, Repeated } from "#workflow/run/conditions";

/** A step to repeat under conditions. */
export interface RepetitionOrder extends Repeated {
  readonly command: RepeatedCommand;
  /** Files of the step that are kept, relative to the workspace. */
  readonly files: readonly string[];
  /** Eight hexadecimal digits, the same for all repetitions of a verification. */
  readonly mark: string;
  readonly timeLimitSeconds: number;
  readonly undeclared: Undeclared;
}

/** Folder of the workspace with a folder for each repetition. */
export const REPETITIONS_FOLDER = "repetitions";
/** File of a repetition with the exit code and the conditions that could not be set. */
export const STATE_FILE = "state";
/** Larger workspaces are not copied. */
const WORKSPACE_MAX_MIB = 2048;

/**
 * Makes random numbers of Python repeatable. Python loads a module of this name from PYTHONPATH when it starts. The module
 * replaces the source of seeds, and the class whose objects would seed themselves.
 */
const SEEDED_PYTHON = `
import os, random
_source = random.Random(int(os.environ["REPRISE_SEED"]))
def _bytes(count):
    return _source.getrandbits(8 * count).to_bytes(count, "big") if count else b""
class _Seeded(random.Random):
    def __init__(self, x=None):
        super().__init__(_source.getrandbits(64) if x is None else x)
    def seed(self, a=None, version=2):
        super().seed(_source.getrandbits(64) if a is None else a, version)
os.urandom = random._urandom = _bytes
random.seed(_source.getrandbits(64))
random.Random = _Seeded
`;

/**
 * Takes the newer vector instructions away from the libraries that choose their code by the processor. Their sums are
 * rounded in another order then.
 */
function processorLines(isPlain: boolean): string[] {
  const hidden = ["AVX512F", "AVX2", "FMA", "AVX2_Usable", "FMA_Usable"].map((name) => `-${name}`).join(",");
  const plain = `OPENBLAS_CORETYPE=Prescott MKL_CBWR=COMPATIBLE GLIBC_TUNABLES=glibc.cpu.hwcaps=${hidden}`;
  return [
    'grep -qw avx2 /proc/cpuinfo 2> /dev/null || missing="$missing processor"',
    `processor="${isPlain ? plain : ""}"`,
  ];
}

/** Cuts the network off. The loopback interface stays, but no server of the machine is behind it. */
const NO_NETWORK = `if bwrap --dev-bind / / --unshare-net true 2> /dev/null; then wall="$wall --unshare-net"
else missing="$missing network"; fi`;

/**
 * Returns the script that repeats a step in a copy of the workspace, so that every repetition begins with the same files.
 * Each condition gets its first or its second value. A condition that the place of the job does not offer is left alone
 * and reported.
 */
export function repetitionScript(order: RepetitionOrder): string {
  const { number, varied, command, files, mark, timeLimitSeconds, undeclared } = order;
  const second = (condition: Condition, first: string, other: string) =>
    varied.includes(condition) ? other : first;
  const folders = `/tmp/reprise-${mark}`;
  const inFolder = command.folder === "." ? "" : shellQuote(`/${command.folder}`);
  return `set -eu
kept="$PWD/${REPETITIONS_FOLDER}/${number}"; base=${folders}-${second("path", "a", "bb")}; own=${folders}-own; workspace="$PWD"
export LC_ALL=C
mkdir -p "$kept/files"
[ "$(du -sm . | cut -f1)" -le ${WORKSPACE_MAX_MIB} ] || { echo "too large" > "$kept/${STATE_FILE}"; exit 0; }
umask 077
# A repetition that was killed has left its folders. A link in their place is removed and never followed.
clear() { for d in ${folders}-a ${folders}-bb "$own"; do [ -L "$d" ] || [ ! -d "$d" ] || chmod -R u+w "$d"; rm -rf "$d"; done; }
clear; trap clear EXIT
mkdir "$base" "$own"
mkdir "$base/w" "$own/py" "$own/o"
find . -mindepth 1 -path ./${REPETITIONS_FOLDER} -prune -o -type d -print | while IFS= read -r d; do mkdir -p "$base/w/$d"; done
find . -path ./${REPETITIONS_FOLDER} -prune -o ! -type d -print | sort ${second("order", "", "-r")} | while IFS= read -r f; do cp -Pp "$f" "$base/w/$f"; done
missing=""
lib=""
# faketime fails if a process of the same number was killed under it and left shared memory behind.
for try in 1 2 3; do [ -n "$lib" ] || lib=$(faketime -f +0 sh -c 'echo "$LD_PRELOAD"') || lib=""; done
[ -n "$lib" ] || missing="$missing clock"
[ -n "$lib" ] && set -- LD_PRELOAD="$lib" FAKETIME=${second("clock", String(CLOCKS.first), String(CLOCKS.other))} FAKETIME_FMT=%s FAKETIME_DONT_FAKE_MONOTONIC=1
set -- "$@" TZ=${second("zone", "UTC0", "XYZ-5:45")} PYTHONHASHSEED=${second("hash-seed", "0", "1")} PERL_HASH_SEED=${second("hash-seed", "0", "1")} PERL_PERTURB_KEYS=0
cat > "$own/py/sitecustomize.py" <<'REPRISE_END'${SEEDED_PYTHON}REPRISE_END
set -- "$@" REPRISE_SEED=${second("random", "1", "2")} PYTHONPATH="$own/py\${PYTHONPATH:+:$PYTHONPATH}" PYTHONDONTWRITEBYTECODE=1
other=$(locale -a 2> /dev/null | grep -E '^(de|fr|it|es|pl|cs|sv)_' | head -n 1 || true)
[ -n "$other" ] || missing="$missing locale"
set -- "$@" LC_ALL="${second("locale", "C.UTF-8", "${other:-C.UTF-8}")}"
user=reprise-user-${second("user", "a", "b")}
home="$own/reprise-home-${second("home", "a", "b")}"; mkdir "$home"
set -- "$@" USER="$user" LOGNAME="$user" HOME="$home"
cd "$base/w"; w=$PWD
${command.prepares.join("\n")}
sorted() { find . -mindepth 1 -maxdepth 1; }
one=$(sorted); sorted | sort ${second("order", "-r", "")} | while IFS= read -r f; do : > "$own/o/$f"; done
[ "$(cd "$own/o" && sorted)" != "$one" ] || missing="$missing order"
threads=${second("threads", "1", "4")}
set -- "$@" OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads MKL_NUM_THREADS=$threads NUMEXPR_NUM_THREADS=$threads
host=reprise-host-${second("host", "a", "b")}
wall=""
${undeclaredLines(undeclared, command, varied.includes("undeclared")).join("\n")}
${variableLines(command, varied.includes("variables")).join("\n")}
${processorLines(varied.includes("processor")).join("\n")}
${varied.includes("network") ? NO_NETWORK : ""}
set -- timeout -k 5 ${timeLimitSeconds} env -u GLIBC_TUNABLES -u OPENBLAS_CORETYPE -u MKL_CBWR $variables $processor "$@" REANA_WORKSPACE="$w" HOSTNAME="$host" ${[...command.environment, `PWD="$w"${inFolder}`, ...command.words].join(" ")}
[ -z "$wall" ] || set -- bwrap --dev-bind / / $wall "$@"
if setarch -R true 2> /dev/null; then ${second("addresses", 'set -- setarch -R "$@"', ":")}; else missing="$missing addresses"; fi
if [ "$(nproc)" -gt 1 ] && taskset -c 0 true 2> /dev/null; then ${second("threads", 'set -- taskset -c 0 "$@"', ":")}; else missing="$missing threads"; fi
if unshare -u hostname "$host" 2> /dev/null; then set -- unshare -u sh -c 'hostname "$0" && exec "$@"' "$host" "$@"; else missing="$missing host"; fi
umask ${second("umask", "022", "077")}
code=0; (cd ${shellQuote(`./${command.folder}`)} && "$@" ${redirectsOf(command)}) || code=$?
${successOf(command)}
umask 022; cd "$w"
for f in ${files.map(shellQuote).join(" ")}; do
  if [ -f "$f" ]; then mkdir -p "$kept/files/$(dirname "$f")"; cp "$f" "$kept/files/$f"; fi
done
echo "$code$missing" > "$kept/${STATE_FILE}"
`;
}

/** Returns the script that runs a command once more in its workspace, under the conditions of any job. */
export function plainScript(command: RepeatedCommand): string {
  const words = ['REANA_WORKSPACE="$w"', ...command.environment, ...command.words].join(" ");
  return `set -eu
w=$PWD
${command.prepares.join("\n")}
code=0; (cd ${shellQuote(`./${command.folder}`)} && env ${words} ${redirectsOf(command)}) || code=$?
${successOf(command)}
exit "$code"
`;
}

/** Makes the exit code 0 if the command has succeeded, and another one if not. */
function successOf({ successCodes }: RepeatedCommand): string {
  return `case $code in ${successCodes.join("|")}) code=0;; 0) code=1;; esac`;
}

function redirectsOf({ redirects: { stdin, stdout, stderr } }: RepeatedCommand): string {
  const at = (path: string) => `"$w"/${shellQuote(path)}`;
  const output = stdout === undefined ? [] : [`> ${at(stdout)}`];
  const errors = stderr === undefined ? [] : stderr === stdout ? ["2>&1"] : [`2> ${at(stderr)}`];
  return [`< ${stdin === undefined ? "/dev/null" : at(stdin)}`, ...output, ...errors].join(" ");
}
