# The job host: one long-lived shell that forks a supervisor for each job, because a shell forks in a fraction of the
# time that a large server needs. It reads NUL-terminated fields from its input, four for each job:
#   JOB-ID ATTEMPT-FOLDER WORKSPACE TIME-LIMIT-SECONDS
# and prints the id of each job whose supervisor has left. At the end of its input it leaves; supervisors go on.
set -m # what is started in the background gets a process group of its own, and inherits no ignored signals

boot=-
if [ -r /proc/sys/kernel/random/boot_id ]; then read -r boot </proc/sys/kernel/random/boot_id; fi

# Watches over one attempt of one job, in a subshell of its own. Whoever creates the claim runs the job; everybody else
# leaves. The claim holds this process's identity (pid, start time, boot), so that a later server knows whether it is
# still alive. No external program is started but the job.
supervise() {
  id=$1 folder=$2 workspace=$3 limit=$4
  pid=${BASHPID:-$(sh -c 'echo $PPID')}
  born=-
  if [ -r /proc/self/stat ]; then
    read -r stat </proc/self/stat
    stat=${stat##*) }
    # Field 22 of the line, the 20th after the command's name, is the start time in clock ticks.
    set -- $stat
    born=${20}
  fi

  set -C
  { echo "$pid $born $boot" >"$folder/claim"; } 2>/dev/null || return 0
  set +C

  if ! cd -- "$workspace"; then
    echo "exited 126" >"$folder/exit"
    return 0
  fi

  set -m
  run_job >>"$folder/log" 2>&1 </dev/null &
  job=$!
  echo "$job" >"$folder/group"

  if [ "$limit" != 0 ]; then
    keep_limit >/dev/null 2>&1 &
    keeper=$!
  fi

  wait "$job"
  code=$?
  if [ "$limit" != 0 ]; then kill -KILL -- "-$keeper" 2>/dev/null; fi
  # What the command left behind in its group ends with it.
  kill -KILL -- "-$job" 2>/dev/null

  reason=exited
  if [ -e "$folder/timed-out" ]; then reason=time-limit; fi
  if [ -e "$folder/cancelled" ]; then reason=cancelled; fi
  # One terminated line: a reader ignores a line without its end.
  echo "$reason $code" >"$folder/exit"
}

# The order's file holds the command, then NAME=value pairs, each ended by a NUL. A command that is too long for an
# argument stands in a file of its own. The mark lets everything that descends from the job be found, also what left
# its process group.
run_job() {
  {
    IFS= read -r -d '' command
    while IFS= read -r -d '' pair; do export "$pair"; done
  } <"$folder/order"
  export REPRISE_JOB_ID="$id"
  if [ -e "$folder/command.sh" ]; then exec bash "$folder/command.sh"; else exec bash -c "$command"; fi
}

keep_limit() {
  sleep "$limit"
  : >"$folder/timed-out"
  kill -TERM -- "-$job"
  sleep 2
  kill -KILL -- "-$job"
}

while
  IFS= read -r -d '' id && IFS= read -r -d '' folder && IFS= read -r -d '' workspace && IFS= read -r -d '' limit
do
  (
    supervise "$id" "$folder" "$workspace" "$limit"
    echo "$id"
  ) &
done
