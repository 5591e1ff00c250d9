# The job host: shells that run jobs, because a shell forks in a fraction of the time that a large server needs.
#   host.sh ROOT BOOT-ID SLOTS
# It forks as many slots and leaves. Slot k reads its orders from file descriptor 3 + k and answers each with a dot; at
# the end of its input it leaves too, after the job that it is at. An order is eight digits, its length in bytes, and as
# many bytes of shell code, made by order.ts, which calls `attempt`. No program is started but the job.
root=$1 boot=$2 slots=$3
exec 2>/dev/null
LC_ALL=C # lengths count bytes; it is not exported, so no job sees it

# What reads a number of bytes; the older way, for the bash of macOS, reads them one by one.
exactly=(-N)
if ((BASH_VERSINFO[0] < 4)); then exactly=(-d '' -n); fi

slot() {
  pid=${BASHPID:-$(sh -c 'echo $PPID')} ticks_before=0
  born_of_this_process
  while IFS= read -r "${exactly[@]}" 8 length && IFS= read -r "${exactly[@]}" "$length" order; do
    eval "$order"
    exec 4>&- 5>&-
    printf .
  done
}

# Start time in clock ticks since boot: field 22, the 20th after the command's name, which may hold spaces.
born_of_this_process() {
  born=-
  if read -r stat </proc/self/stat; then
    stat=(${stat##*) })
    born=${stat[19]}
  fi
}

# attempt JOB-ID FOLDER WORKSPACE TIME-LIMIT OUTPUT-LIMIT HOW…
# Supervises one attempt of one job. The lines of its record are the truth about it, see record.ts.
attempt() {
  folder=$2 workspace=$3 limits="$4 $5" ticks=-
  shift 5
  claim || return
  printf '%s\n' "$folder" >"$root/slots/$pid"
  if cd -- "$workspace" 2>&5; then run "$@"; else code=126; fi
  # Without its end in the record a job is lost, and its supervisor must be gone to prove it.
  printf '\nended %s %s %s .\n' "$code" "${EPOCHREALTIME:--}" "$ticks" >&4 || exit
  cd /
}

# Whose line is the first in the record runs the job; everybody else leaves. A line that did not fit on the disk counts
# for nothing, so each is begun on a new line and ended with a dot.
claim() {
  exec 4>>"$folder/record" 5>>"$folder/log" || return
  claim="claimed $pid $born $boot ${EPOCHREALTIME:--} $limits ."
  printf '\n%s\n' "$claim" >&4 || return
  while IFS= read -r first; do case $first in "claimed "*" .") break ;; esac done <"$folder/record"
  [ "$first" = "$claim" ]
}

run() {
  if [ "$1" = as_program ]; then
    if find_program "$3"; then set -- as_program "$program" "${@:3}"; else set -- in_bash "$2"; fi
  fi
  set -m # a process group of its own, and no ignored signals
  begin "$@" </dev/null >&5 2>&1 5>&- &
  job=$!
  set +m # else a job that is only stopped would count as ended
  wait "$job"
  code=$?
  # What the command left behind in its group ends with it.
  kill -KILL -- "-$job"
  count_ticks
}

# Processor time of what has ended, in clock ticks: fields 16 and 17.
count_ticks() {
  if read -r stat </proc/self/stat; then
    stat=(${stat##*) })
    ticks=$((stat[13] + stat[14] - ticks_before))
    ticks_before=$((stat[13] + stat[14]))
  fi
}

# The job's own process, which becomes the command. Had the supervisor been killed and the job been declared lost in
# this very moment, the end stands in the record before the group does: then it must not begin. `given`, which comes
# with the order, exports what the job is given; from there on only positional parameters are this script's own.
begin() {
  born_of_this_process
  printf '\ngroup %s %s .\n' "${BASHPID:-$(sh -c 'echo $PPID')}" "$born" >&4 || exit 126
  IFS= read -r -d '' lines <"$folder/record"
  case $lines in *$'\nended '*) exit ;; esac
  exec 4>&-
  "$@"
}

in_bash() {
  set -- "$BASH" "$1"
  given
  unset OLDPWD
  exec -a bash -- "$1" -c "$2"
}

# For a command that is too long for an argument.
in_bash_from_file() {
  set -- "$BASH" "$1"
  given
  unset OLDPWD
  exec -a bash -- "$1" "$2"
}

# For names that mean something to this shell, so that it cannot just export them.
with_env() {
  exec env -i "$@"
}

# A command of plain words, run as `bash -c` would run it: in its place.
as_program() {
  given
  unset OLDPWD
  _=$1 exec -a "$2" -- "$1" "${@:3}"
}

# Programs only: what is a builtin, a script or not there at all is for bash to run, or to complain about.
find_program() {
  program=$1
  case $program in
    */*) ;;
    *)
      hash -r
      hash -- "$program" || return
      program=${BASH_CMDS[$program]}
      ;;
  esac
  [ -f "$program" ] && [ -x "$program" ] && IFS= read -r -N 4 magic <"$program" && [ "$magic" = $'\x7fELF' ]
}

# `true` and `false`, which bash would not leave its own process for.
as_builtin() {
  builtin "$1"
}

for ((slot = 0; slot < slots; slot++)); do
  socket=$((3 + slot))
  (
    for ((other = 3; other < 3 + slots; other++)); do
      if ((other != socket)); then eval "exec $other>&-"; fi
    done
    eval "exec <&$socket >&$socket $socket>&-"
    slot
  ) &
done
