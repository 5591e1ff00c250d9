# A slot: a shell that runs jobs, one after the other.
#   slot.sh ROOT BOOT-ID TIME-FILE
# It reads orders from its input, replies to each with a plus sign if it has started the job and otherwise with a dot,
# and exits at the end of its input. An order is eight digits, which give its length in bytes, and that many bytes of
# shell code, made by order.ts, which calls `attempt`. Besides the job itself, a slot starts few programs: `cat` for output
# that is long or late, `rm` for the secrets that the job was given, and `sleep` while the job is stopped.
root=$1 boot=$2 time_file=$3
exec 2>/dev/null
LC_ALL=C # lengths count bytes; it is not exported, so no job sees it
SHLVL=1  # as if there were no shell above a job's own

. "${0%/*}/open-files.sh"
. "${0%/*}/bind-sources.sh"

# Set by `placed` for one attempt.
working= input= output= errors= notice=
# Set by `ticketed` for one attempt.
ticket=()
# Set by `grouped` for one attempt.
kills= groups=()
# Set by `counted` for one attempt.
is_counted=
# Set by `gated` for one attempt.
sources=()

# The options of `read` for a number of bytes. The older form, for the bash of macOS, reads them one by one.
exactly=(-N)
if ((BASH_VERSINFO[0] < 4)); then exactly=(-d '' -n); fi

# A command that opens /dev/stdout again with `>` truncates it if it is a file. Jobs print into a pipe, which cannot be
# truncated. Where /dev/stdout is not a link into /proc, as on macOS, opening it truncates nothing.
has_pipes=
if [ -d /proc/self/fd ] && ((BASH_VERSINFO[0] >= 4)); then has_pipes=yes; fi
# Seconds to wait for the reader, which takes longer only if another process still holds the pipe open.
reader_seconds_max=2
# Limits on the output that a slot reads itself, byte by byte: 256 bytes take it 0.2 ms.
short_bytes=256 short_seconds=0.1

# A shell remembers how every process it started has ended, and each fork copies that memory: it becomes slower.
jobs_before_renewal=200

serve() {
  set_born
  trap 'rm -f -- "$root/slots/$$"' EXIT
  # The server may have gone before the reply. Then the end of the input ends this shell.
  trap : PIPE
  jobs=0
  # The keeper continues a slot that was stopped, even one that has had no job yet.
  if [ "$born" != - ]; then tell_keeper "$born"; fi
  while IFS= read -r "${exactly[@]}" 8 length && IFS= read -r "${exactly[@]}" "$length" order; do
    answer=.
    eval "$order"
    exec 4>&- 5>&-
    printf %s "$answer"
    # The server takes its turn at the same time.
    if [ "$answer" = + ]; then
      empty "$folder/tmp"
      empty "$folder/scratch"
    fi
    # The same process, with an empty memory.
    if ((++jobs == jobs_before_renewal)); then exec "$BASH" --norc "$0" "$root" "$boot" "$time_file"; fi
  done
}

# Sets the start time in clock ticks since boot: field 22, the 20th after the command's name, which may hold spaces.
set_born() {
  born=-
  if read -r stat </proc/self/stat; then
    stat=(${stat##*) })
    born=${stat[19]}
  fi
}

# placed WORKING-FOLDER INPUT OUTPUT ERRORS NOTICE attempt …
# Supervises an attempt of a job that starts in a folder below the workspace, reads or writes files there, or has a notice
# at the beginning of its log. Empty arguments are ignored. A slot that does not know this function leaves the job alone.
placed() {
  working=$1 input=$2 output=$3 errors=$4 notice=$5
  "${@:6}"
  working= input= output= errors= notice=
}

# ticketed KINIT KEYTAB PRINCIPAL TICKET SECONDS CONFIGURATION attempt …
# Supervises an attempt of a job with a Kerberos ticket, which is renewed every so many seconds.
ticketed() {
  ticket=("${@:1:6}")
  "${@:7}"
  ticket=()
}

# grouped KILLS USED FILE… -- attempt …
# Supervises an attempt of a job with control groups, which it joins by the files. KILLS is the file that counts how often
# the kernel has killed a process for memory, and USED the file that says how much was used.
grouped() {
  kills=$1 used_file=$2 groups=()
  shift 2
  while [ "$1" != -- ]; do
    groups+=("$1")
    shift
  done
  "${@:2}"
  kills= groups=()
}

# counted attempt …
# Supervises an attempt of a job that stays in the control groups of this slot, which count its processor time.
counted() {
  is_counted=yes
  "$@"
  is_counted=
}

# gated ROOT-DEVICE COUNT SOURCE… attempt …
# Supervises an attempt of a job in a sandbox that shows parts of its workspace. Its command starts only if the sandbox
# shows these sources (bind-sources.ts), and no others in their place.
gated() {
  root_device=$1 sources=("${@:3:$2}")
  "${@:3 + $2}"
  sources=()
}

# Records the processor time used so far: by the control groups of this slot, or by the processes that it has waited for.
# The first word of the file is a number of nanoseconds with version 1 of control groups, else a name.
record_time() {
  if [ "$is_counted" ]; then
    read -r first second <"$time_file"
    second=${second:-${first%???}}
    printf '\ncounted %s .\n' "${second:-0}" >&4
  else
    times >&4
  fi
}

# True if the kernel has killed a process of the job for memory. Sets `used`.
was_out_of_memory() {
  killed=0 used=0
  while read -r name number; do
    if [ "$name" = oom_kill ]; then killed=$number; fi
  done <"$kills"
  ((killed)) && read -r used <"$used_file"
  ((killed))
}

# attempt JOB-ID FOLDER WORKSPACE TIME-LIMIT "OUTPUT-LIMIT [MEMORY-LIMIT PROCESS-LIMIT DISK-LIMIT FILE-LIMIT]" HOW…
# Supervises one attempt of one job. The record is the only source of truth about it, see record-lines.ts.
attempt() {
  folder=$2 workspace=$3
  claim "$1 $4 $5" || return
  answer=+
  if [ "$notice" ]; then printf %s "$notice" >&5; fi
  if [ "$born" = - ]; then tell_keeper "$folder"; fi
  if [ "$6" = as_program ]; then
    if find_program "$8"; then set -- "${@:1:6}" "$program" "${@:8}"; else set -- "${@:1:5}" in_bash "$7"; fi
  fi
  record_time
  if ((${#sources[@]})); then open_gate; fi
  open_output "$6"
  set -m # a process group of its own, and no ignored signals
  begin "${@:6}" </dev/null >&6 2>&1 5>&- 6>&- 7<&- 8<&- 20<&- &
  job=$!
  set +m # else a job that is only stopped would count as ended
  is_refused=
  if ((${#sources[@]})); then keep_gate || is_refused=yes; fi
  copy_output
  wait "$job"
  code=$?
  # A job that was stopped before the line with +m has not ended, although this shell believes so.
  while ((code > 128)) && kill -0 "$job"; do
    sleep 0.1
    wait "$job"
    code=$?
  done
  if [ "$is_refused" ]; then code=126; fi
  # Taken before the reader has ended, because its time is not the job's.
  record_time || exit
  # Processes that the command left behind in its group end with it.
  kill -KILL -- "-$job"
  if [ "$kills" ] && was_out_of_memory; then printf '\nmarked out-of-memory %s exact .\n' "${used:-0}" >&4; fi
  close_output
  if [ -d "$folder/secrets" ]; then rm -rf -- "$folder/secrets"; fi
  if ! is_whole_log "$folder/log"; then printf '\ndamaged log %s .\n' "$(what_is_at "$folder/log")" >&4; fi
  # If the end cannot be recorded, the job is lost: the supervisor exits, which proves it.
  printf '\nended %s %s .\n' "$code" "${EPOCHREALTIME:--}" >&4 || exit
}

# Removes a folder of the job's own files, if there is one that is not empty, whatever rights the job has taken away. Most
# jobs leave it empty, and cost no further process.
empty() {
  [ -d "$1" ] && ! [ -L "$1" ] || return
  shopt -s nullglob dotglob
  local files=("$1"/*)
  shopt -u nullglob dotglob
  if ((${#files[@]})) || ! [ -r "$1" ]; then
    rm -rf -- "$1" || { chmod -R u+rwX -- "$1" && rm -rf -- "$1"; }
  fi
}

# Opens descriptor 6, to which the job prints, and 7 if that is a pipe: the end to read. The builtins `true` and `false`
# open no file, and need no pipe. Neither does a job whose whole output goes to files.
open_output() {
  if [ "$has_pipes" ] && [ "$1" != as_builtin ] && ! { [ "$output" ] && [ "$errors" ]; }; then
    open_pipe
    exec 6>/proc/self/fd/7
  else
    exec 6>&5 7<&-
  fi
}

# Makes descriptor 7 the end to read of a new pipe that nobody else has: a job may pass on its output to a process that
# outlives it. This shell makes a pipe without another process for a short text in place of a file; an older one makes
# a file.
open_pipe() {
  exec 7<<<''
  if [ -p /proc/self/fd/7 ]; then read -r _ <&7; else exec 7< <(:); fi
}

# Opens the gate at which bwrap waits once it has made the sandbox: bwrap writes the pid of the sandbox's first process to
# descriptor 21, whose other end is 20, and starts the command when it can read from 22. It never reads an end there,
# even if this slot is killed, because 22 is open for writing in bwrap too.
open_gate() {
  open_pipe
  exec 20<&7 21>/proc/self/fd/7
  open_pipe
  exec 22<>/proc/self/fd/7
}

# Lets the command start if the sandbox shows what it should. Otherwise ends the sandbox and fails. If bwrap cannot make
# the sandbox, it says so itself.
keep_gate() {
  local line pid= mounts is_right=yes
  exec 21>&-
  while IFS= read -r -u 20 line; do
    case $line in *'"child-pid"'*) pid=${line//[!0-9]/} && break ;; esac
  done
  if [ "$pid" ] && wait_until_made "$pid"; then
    if shows_all "${sources[@]}"; then
      echo >&22
    else
      is_right=
      kill -KILL "$pid"
      echo "$replaced" >&5
    fi
  fi
  exec 20<&- 22>&-
  [ "$is_right" ]
}

# Waits until the sandbox is made, and sets `mounts` to what it shows: its root, which bwrap calls /newroot, is in place
# then. A sandbox begins with the mounts of this process, whose own root may be another sandbox's. Fails if it has ended.
wait_until_made() {
  while kill -0 "$1"; do
    mapfile -t mounts <"/proc/$1/mountinfo"
    case "${mounts[*]}" in
      *" $root_device /newroot / "*) ;;
      *" /newroot / "*) return ;;
    esac
    read -r -t 0.0005 -u 22 _
  done
  return 1
}

# Copies a short output itself, because most jobs print little and end soon: a reader costs a fork and the start of `cat`.
# Starts a reader for the rest of any other output. Descriptor 8 shows when the reader has ended.
copy_output() {
  reader_pid=
  exec 6>&-
  [ -p /proc/self/fd/7 ] || return
  # Sets `printed` to the bytes so far in any case. The status is 1 at the end of the output.
  IFS= read -r -d '' -n "$short_bytes" -t "$short_seconds" printed <&7
  case $? in
    0) start_reader "$((${#printed} < short_bytes))" ;;
    1) printf %s "$printed" >&5 || output_lost ;;
    *) start_reader 0 ;;
  esac
  exec 7<&-
}

# start_reader HAS-ZERO
# HAS-ZERO is 1 if a zero byte follows what has been read: `read` stops there and drops it.
start_reader() {
  exec 3<&7
  open_pipe
  exec 8<&7 9>/proc/self/fd/7
  (read_pipe "$1") <&3 >&5 3<&- 4>&- 5>&- 7<&- 8<&- &
  reader_pid=$!
  exec 3<&- 9>&-
}

read_pipe() {
  printf %s "$printed" || exit
  if (($1)); then printf '\0' || exit; fi
  exec cat
}

output_lost() {
  printf '\nmarked output-lost .\n' >&4
}

# Waits until all output is in the log. A process that has left the job's group may continue to print.
close_output() {
  if [ "$reader_pid" ]; then
    read -r -t "$reader_seconds_max" _ <&8
    (($? > 128)) || wait "$reader_pid" || output_lost
    exec 8<&-
  fi
}

# Announces this slot to the keeper: its birth time or, without /proc, the folder of the job that it is running.
tell_keeper() {
  [ -p "$root/slots/$$" ] || printf '%s\n' "$1" >"$root/slots/$$"
}

# Claims the job: the process whose line is first in the record runs it, and any other returns. A line that did not fit
# on the disk does not count, so each starts on a new line and ends with a dot.
claim() {
  is_own "$folder/record" && is_own "$folder/log" || return
  exec 4>>"$folder/record" 5>>"$folder/log" || return
  claim="claimed $$ $born $boot ${EPOCHREALTIME:--} $1 ."
  printf '\n%s\n' "$claim" >&4 || return
  while IFS= read -r first; do case $first in "claimed "*" .") break ;; esac done <"$folder/record"
  [ "$first" = "$claim" ]
}

# True if the name of the log still leads to the file that this shell has opened, and the server may read it.
is_whole_log() {
  [ -r "$1" ] && ! [ -L "$1" ] && { [ "$born" = - ] || [ "$1" -ef /proc/self/fd/5 ]; }
}

# Prints what is in the place of a file, in the words of damaged-attempt.ts.
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

# Runs in the job's own process, which becomes the command. If the supervisor was killed and the job declared lost at
# this very moment, the end is in the record before the group: the command must not start then. `given`, which comes
# with the order, exports the job's variables; after it, this script's own values are in positional parameters only.
begin() {
  printf '\ngroup %s .\n' "${BASHPID:-$(sh -c 'echo $PPID')}" >&4 || exit 126
  is_own "$folder/record" || exit
  IFS= read -r -d '' lines <"$folder/record"
  case $lines in *$'\nended '*) exit ;; esac
  cd -- "$workspace" || exit 126
  exec 4>&-
  # Without its group the job still has the limits that the keeper enforces.
  for file in "${groups[@]}"; do { echo 0 >"$file"; } 2>/dev/null; done
  prepare "$@" 6>&2
  "$@"
}

# prepare HOW…
# Gets the job's ticket, opens its files, enters its folder and finds its program. Descriptor 6 is the log, which gets the
# reason if one of these fails.
prepare() {
  if ((${#ticket[@]})); then get_ticket; fi
  if [ "$input$output$errors" ]; then open_files; fi
  if [ "$working" ]; then enter "$working"; fi
  case $1 in as_argv*) find_or_exit "$2" "$3" ;; esac
}

# Gets the ticket. The process that renews it is in the group of the job, with which it ends, and no child of the command.
get_ticket() {
  renew_ticket >&6 2>&1 || {
    printf 'reprise: The job cannot get a Kerberos ticket for %s.\n' "${ticket[2]}" >&6
    exit 126
  }
  (while sleep "${ticket[4]}"; do renew_ticket; done </dev/null >&6 2>&1 21>&- 22>&- &)
}

# Puts a new ticket in the place of the old one at once, because the job may be reading it.
renew_ticket() (
  [ ! "${ticket[5]}" ] || export KRB5_CONFIG=${ticket[5]}
  "${ticket[0]}" -k -t "${ticket[1]}" -c "${ticket[3]}.new" "${ticket[2]}" &&
    mv -f -- "${ticket[3]}.new" "${ticket[3]}"
)

enter() {
  { is_inside "$1" && cd -- "./$1"; } 2>/dev/null || cannot "start in" "$1"
}

in_bash() {
  set -- "$BASH" "$1"
  given
  unset OLDPWD
  exec -a bash -- "$1" -c "$2"
}

# Runs a command that is too long for an argument.
in_bash_from_file() {
  set -- "$BASH" "$1"
  given
  unset OLDPWD
  exec -a bash -- "$1" "$2"
}

# Sets variables whose names have a meaning for this shell, so that it cannot just export them.
with_env() {
  exec env -i "$@"
}

# as_argv SEARCH-PATH PROGRAM ARGUMENT…
# Runs the program that `prepare` has found, without a shell.
as_argv() {
  set -- "$program" "${@:2}"
  given
  unset OLDPWD
  _=$1 exec -a "$2" -- "$1" "${@:3}"
}

# as_argv_with_env SEARCH-PATH PROGRAM ENV-ARGUMENT…
# The same if `env` has to set the variables.
as_argv_with_env() {
  with_env "${@:3}"
}

# Sets `program` to the file that the name means for this job. Ends the job if there is none, as a shell would.
find_or_exit() {
  program=$2
  case $2 in
    */*) ;;
    *) find_in "$1" "$2" ;;
  esac
  if [ ! "$program" ]; then
    printf 'reprise: %s: command not found\n' "$2" >&6
    exit 127
  elif [ ! -e "$program" ]; then
    printf 'reprise: %s: No such file or directory\n' "$2" >&6
    exit 127
  elif [ -d "$program" ]; then
    printf 'reprise: %s: Is a directory\n' "$2" >&6
    exit 126
  elif [ ! -x "$program" ]; then
    printf 'reprise: %s: Permission denied\n' "$2" >&6
    exit 126
  fi
}

# Sets `program` to the first executable file of that name in the folders of a search path, else to nothing.
find_in() {
  program= rest=$1:
  while [ "$rest" ]; do
    program=${rest%%:*} rest=${rest#*:}
    program=${program:-.}/$2
    if [ "$2" ] && [ -f "$program" ] && [ -x "$program" ]; then return; fi
  done
  program=
}

# Runs a command of plain words as `bash -c` would: in place of the shell.
as_program() {
  given
  unset OLDPWD
  _=$1 exec -a "$2" -- "$1" "${@:3}"
}

# Finds a binary program. Builtins, scripts and missing commands are left to bash, which runs them or reports the error.
find_program() {
  case $1 in
    /*) program=$1 ;;
    */*) program=$workspace/${working:+$working/}$1 ;;
    *)
      hash -r
      hash -- "$1" || return
      program=${BASH_CMDS[$1]}
      ;;
  esac
  [ -f "$program" ] && [ -x "$program" ] && IFS= read -r -N 4 magic <"$program" && [ "$magic" = $'\x7fELF' ]
}

# Runs the program of a wall, which runs the command. `program` comes with the order.
as_walled() {
  given
  unset OLDPWD
  program
}

# with_checked COUNT FOLDER… HOW…
# Refuses parts of the workspace that a link may lead out of: a wall's program would follow it.
with_checked() {
  for folder in "${@:2:$1}"; do
    (cd -- "$workspace" && is_inside "$folder") || {
      printf 'reprise: The job cannot have %s: it is a link, or behind one.\n' "$folder"
      exit 126
    }
  done
  "${@:2 + $1}"
}

# with_filter FILE HOW…
# Opens the filter of system calls, which a wall's program reads from descriptor 9.
with_filter() {
  exec 9<"$1" || exit 126
  "${@:2}"
}

# as_contained FILE VARIABLES
# Runs the program of a container runtime, which reads the job's variables from a file. The slot writes it, because
# only one slot ever runs the job. `program` comes with the order.
as_contained() {
  given
  unset OLDPWD
  [ -d "${1%/*}" ] || mkdir -m 700 -- "${1%/*}" || exit 126
  printf %s "$2" >"$1" || exit 126
  program
}

# Runs `true` or `false`, for which bash would not start another process.
as_builtin() {
  builtin "$1"
}

serve
