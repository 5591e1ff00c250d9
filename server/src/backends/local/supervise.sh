# Watches over one attempt of one job: bash supervise.sh JOB-ID ATTEMPT-FOLDER WORKSPACE TIME-LIMIT-SECONDS
#
# Whoever creates the claim runs the job; everybody else leaves. The claim holds this process's identity (pid, start
# time, boot), so that a later server knows whether it is still alive. No external program is started but the job.
set -m # the job gets a process group of its own, and inherits no ignored signals
id=$1 folder=$2 workspace=$3 limit=$4

boot=-
born=-
if [ -r /proc/self/stat ]; then
  read -r boot </proc/sys/kernel/random/boot_id
  read -r stat </proc/$$/stat
  stat=${stat##*) }
  # Field 22 of the line, the 20th after the command's name, is the start time in clock ticks.
  set -- $stat
  born=${20}
fi

set -C
{ echo "$$ $born $boot" >"$folder/claim"; } 2>/dev/null || exit 0
set +C

# A command that is too long for an argument is run from its file. The other is read without a process: it ends with
# a NUL that is not part of it.
command=
if ! [ -e "$folder/command.sh" ]; then IFS= read -r -d '' command <"$folder/command"; fi

if ! cd -- "$workspace"; then
  echo "exited 126" >"$folder/exit"
  exit 0
fi

# The mark lets everything that descends from the job be found, also what left its process group.
(
  export REPRISE_JOB_ID="$id"
  if [ -e "$folder/command.sh" ]; then exec bash "$folder/command.sh"; else exec bash -c "$command"; fi
) >>"$folder/log" 2>&1 </dev/null &
job=$!
echo "$job" >"$folder/group"

if [ "$limit" != 0 ]; then
  (
    sleep "$limit"
    : >"$folder/timed-out"
    kill -TERM -- "-$job"
    sleep 2
    kill -KILL -- "-$job"
  ) >/dev/null 2>&1 &
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
