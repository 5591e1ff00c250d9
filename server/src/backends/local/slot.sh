# A slot: a shell that runs jobs, one after the other.
#   slot.sh ROOT BOOT-ID
# It reads orders from its input, answers each with a plus sign if it has begun the job and else with a dot, and leaves at
# the end of its input. An order is eight digits, its length in bytes, and as many bytes of shell code, made by order.ts,
# which calls `attempt`. No program is started for a job but the job itself; seldom `rm`, for the secrets that it was given,
# and `sleep`, while it is stopped.
root=$1 boot=$2
exec 2>/dev/null
LC_ALL=C # lengths count bytes; it is not exported, so no job sees it
SHLVL=1  # as if there were no shell above a job's own

# What reads a number of bytes; the older way, for the bash of macOS, reads them one by one.
exactly=(-N)
if ((BASH_VERSINFO[0] < 4)); then exactly=(-d '' -n); fi

# Whoever opens /dev/stdout anew with `>` empties it, if it is a file. A pipe has nothing to lose, so jobs print into one.
# Where /dev/stdout is no link into /proc, as on macOS, opening it empties nothing.
if [ -d /proc/self/fd ] && ((BASH_VERSINFO[0] >= 4)); then
  # The older shell could not even read this. Descriptor 6 holds a pipe whose other end tells when the reader has ended.
  eval 'start_reader() { coproc reader { exec cat 6>&1 >&5 4>&- 5>&-; }; }'
else
  start_reader() { return 1; }
fi
# What the job has printed is read within this time, unless somebody else still holds the pipe.
reader_seconds_max=2

# A shell remembers how everything that it ever started ended, and hands that memory to whatever it starts: it gets slower.
jobs_before_renewal=200

serve() {
  set_born
  # Also when the server that it would answer has gone, which is a signal.
  trap 'rm -f -- "$root/slots/$$"' EXIT
  jobs=0
  # The keeper continues a slot that was stopped, also one that has had no job yet.
  if [ "$born" != - ]; then tell_keeper "$born"; fi
  while IFS= read -r "${exactly[@]}" 8 length && IFS= read -r "${exactly[@]}" "$length" order; do
    answer=.
    eval "$order"
    exec 4>&- 5>&-
    printf %s "$answer"
    # The same process, with a memory that is empty.
    if ((++jobs == jobs_before_renewal)); then exec "$BASH" --norc "$0" "$root" "$boot"; fi
  done
}

# Start time in clock ticks since boot: field 22, the 20th after the command's name, which may hold spaces.
set_born() {
  born=-
  if read -r stat </proc/self/stat; then
    stat=(${stat##*) })
    born=${stat[19]}
  fi
}

# attempt JOB-ID FOLDER WORKSPACE TIME-LIMIT OUTPUT-LIMIT HOW…
# Supervises one attempt of one job. The lines of its record are the truth about it, see record.ts.
attempt() {
  folder=$2 workspace=$3
  claim "$1 $4 $5" || return
  answer=+
  if [ "$born" = - ]; then tell_keeper "$folder"; fi
  if [ "$6" = as_program ]; then
    if find_program "$8"; then set -- "${@:1:6}" "$program" "${@:8}"; else set -- "${@:1:5}" in_bash "$7"; fi
  fi
  times >&4
  open_output "$6"
  set -m # a process group of its own, and no ignored signals
  begin "${@:6}" </dev/null >&7 2>&1 5>&- 7>&- 8<&- &
  job=$!
  set +m # else a job that is only stopped would count as ended
  wait "$job"
  code=$?
  # One that was stopped before the line with +m has not ended, whatever this shell thinks of it.
  while ((code > 128)) && kill -0 "$job"; do
    sleep 0.1
    wait "$job"
    code=$?
  done
  # Before the reader has ended: its time is not the job's.
  times >&4 || exit
  # What the command left behind in its group ends with it.
  kill -KILL -- "-$job"
  close_output
  if [ -d "$folder/secrets" ]; then rm -rf -- "$folder/secrets"; fi
  if ! is_whole_log "$folder/log"; then printf '\ndamaged log %s .\n' "$(what_is_at "$folder/log")" >&4; fi
  # Without its end in the record a job is lost, and its supervisor must be gone to prove it.
  printf '\nended %s %s .\n' "$code" "${EPOCHREALTIME:--}" >&4 || exit
}

# Descriptor 7 is where the job prints to. The builtins `true` and `false` open nothing anew, and need no reader.
open_output() {
  reader_pid=
  if [ "$1" != as_builtin ] && start_reader; then
    reader_pid=$reader_PID
    exec 7>&"${reader[1]}" 8<&"${reader[0]}" {reader[1]}>&- {reader[0]}<&-
  else
    exec 7>&5
  fi
}

# Waits until everything that was printed stands in the log. A process that left the job's group may print on.
close_output() {
  exec 7>&-
  if [ "$reader_pid" ]; then
    read -r -t "$reader_seconds_max" _ <&8
    (($? > 128)) || wait "$reader_pid" || printf '\nmarked output-lost .\n' >&4
    exec 8<&-
  fi
}

# That there is this slot: when it was born. Where there is no /proc to look into, the folder of the job that it is at.
tell_keeper() {
  [ -p "$root/slots/$$" ] || printf '%s\n' "$1" >"$root/slots/$$"
}

# Whose line is the first in the record runs the job; everybody else leaves. A line that did not fit on the disk counts
# for nothing, so each is begun on a new line and ended with a dot.
claim() {
  is_own "$folder/record" && is_own "$folder/log" || return
  exec 4>>"$folder/record" 5>>"$folder/log" || return
  claim="claimed $$ $born $boot ${EPOCHREALTIME:--} $1 ."
  printf '\n%s\n' "$claim" >&4 || return
  while IFS= read -r first; do case $first in "claimed "*" .") break ;; esac done <"$folder/record"
  [ "$first" = "$claim" ]
}

# A job can put anything in the place of these files. Opening a named pipe would wait for ever.
is_own() {
  [ -f "$1" ] && ! [ -L "$1" ] || ! [ -e "$1" ] && ! [ -L "$1" ]
}

# The log that this shell has opened still has its name, and the server may read it.
is_whole_log() {
  [ -r "$1" ] && ! [ -L "$1" ] && { [ "$born" = - ] || [ "$1" -ef /proc/self/fd/5 ]; }
}

# In the words of damaged-attempt.ts.
what_is_at() {
  if [ -L "$1" ]; then
    echo link
  elif [ -p "$1" ]; then
    echo pipe
  elif [ -d "$1" ]; then
    echo folder
  elif [ ! -e "$1" ]; then
    echo gone
  elif [ ! -f "$1" ]; then
    echo special
  elif [ ! -r "$1" ]; then
    echo unreadable
  else
    echo file
  fi
}

# The job's own process, which becomes the command. Had the supervisor been killed and the job been declared lost in
# this very moment, the end stands in the record before the group does: then it must not begin. `given`, which comes
# with the order, exports what the job is given; from there on only positional parameters are this script's own.
begin() {
  printf '\ngroup %s .\n' "${BASHPID:-$(sh -c 'echo $PPID')}" >&4 || exit 126
  is_own "$folder/record" || exit
  IFS= read -r -d '' lines <"$folder/record"
  case $lines in *$'\nended '*) exit ;; esac
  cd -- "$workspace" || exit 126
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
  case $1 in
    /*) program=$1 ;;
    */*) program=$workspace/$1 ;;
    *)
      hash -r
      hash -- "$1" || return
      program=${BASH_CMDS[$1]}
      ;;
  esac
  [ -f "$program" ] && [ -x "$program" ] && IFS= read -r -N 4 magic <"$program" && [ "$magic" = $'\x7fELF' ]
}

# `true` and `false`, which bash would not leave its own process for.
as_builtin() {
  builtin "$1"
}

serve
