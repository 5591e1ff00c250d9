# A slot: a shell that runs jobs, one after the other.
#   slot.sh ROOT BOOT-ID TIME-FILE
# It reads orders from its input, replies to each with a plus sign if it has started the job and otherwise with a dot,
# and exits at the end of its input. An order is eight digits, which give its length in bytes, and that many bytes of
# shell code, made by order.ts, which calls `attempt`. Besides the job itself, a slot starts few programs: `cat` for output
# that is long or late, `rm` and `chmod` for secrets and for files that the job left, `kinit` and `voms-proxy-init` for its
# credentials, and `sleep` while the job is stopped. Its standard error shows its own faults (helper-log.ts); the job's goes
# into the job's log.
root=$1 boot=$2 time_file=$3
LC_ALL=C # lengths count bytes; it is not exported, so no job sees it
SHLVL=1  # as if there were no shell above a job's own

# shellcheck source=job-output.sh
. "${0%/*}/job-output.sh"
# shellcheck source=bind-gate.sh
. "${0%/*}/bind-gate.sh"
# shellcheck source=open-files.sh
. "${0%/*}/open-files.sh"
# shellcheck source=start-command.sh
. "${0%/*}/start-command.sh"

# Set by `placed` for one attempt.
working= input= output= errors= notice=
# Set by `ticketed` for one attempt.
ticket=()
# Set by `proxied` for one attempt.
proxy=() proxy_command=()
# Set by `grouped` for one attempt.
kills= groups=()
# Set by `counted` for one attempt.
is_counted=
# Set by `gated` for one attempt.
sources=()

# The options of `read` for a number of bytes. The older form, for the bash of macOS, reads them one by one.
exactly=(-N)
if ((BASH_VERSINFO[0] < 4)); then exactly=(-d '' -n); fi

# A shell remembers how every process it started has ended, and each fork copies that memory: it becomes slower.
jobs_before_renewal=200

serve() {
  set_born
  # This also runs if the server has gone before the reply: then SIGPIPE ends the shell.
  trap 'rm -f -- "$root/slots/$$"' EXIT
  jobs=0
  # The keeper continues a slot that was stopped, even one that has had no job yet.
  if [ "$born" != - ]; then tell_keeper "$born"; fi
  # shellcheck disable=SC2229 # the number of bytes follows the options
  while IFS= read -r "${exactly[@]}" 8 length && IFS= read -r "${exactly[@]}" "$length" order; do
    answer=.
    eval "$order"
    exec 4>&- 5>&-
    printf %s "$answer"
    # The same process, with an empty memory.
    if ((++jobs == jobs_before_renewal)); then exec "$BASH" --norc "$0" "$root" "$boot" "$time_file"; fi
  done
}

# Sets the start time in clock ticks since boot: field 22, the 20th after the command's name, which may hold spaces.
set_born() {
  born=-
  if read -r stat 2>/dev/null </proc/self/stat; then
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

# proxied PROXY OWNER INPUT SECONDS SOURCE COUNT WORD… attempt …
# Supervises an attempt of a job with a VOMS proxy. The words are a command that reads INPUT and writes a new proxy to
# PROXY.new. The proxy belongs to OWNER, unless that is empty, and is renewed every so many seconds, unless that is 0.
proxied() {
  proxy=("${@:1:5}") proxy_command=("${@:7:$6}")
  "${@:7 + $6}"
  proxy=()
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
  wait "$job" 2>/dev/null # else bash reports a signal that has ended the job
  code=$?
  # A job that was stopped before the line with +m has not ended, although this shell believes so.
  while ((code > 128)) && kill -0 "$job" 2>/dev/null; do
    sleep 0.1
    wait "$job" 2>/dev/null
    code=$?
  done
  if [ "$is_refused" ]; then code=126; fi
  # Taken before the reader has ended, because its time is not the job's.
  record_time || exit
  # Processes that the command left behind in its group end with it.
  kill -KILL -- "-$job" 2>/dev/null
  if [ "$kills" ] && was_out_of_memory; then printf '\nmarked out-of-memory %s exact .\n' "${used:-0}" >&4; fi
  close_output
  if [ -d "$folder/secrets" ]; then rm -rf -- "$folder/secrets"; fi
  if ! is_whole_log "$folder/log"; then printf '\ndamaged log %s .\n' "$(what_is_at "$folder/log")" >&4; fi
  # If the end cannot be recorded, the job is lost: the supervisor exits, which proves it.
  printf '\nended %s %s .\n' "$code" "${EPOCHREALTIME:--}" >&4 || exit
  clean_up
}

# Removes what the job has left in its folders, whatever rights it has taken away. Most jobs leave nothing there, and cost
# no further process. The superuser can read every folder.
clean_up() {
  shopt -s nullglob dotglob
  local files=("$folder"/tmp/* "$folder"/scratch/*)
  shopt -u nullglob dotglob
  if ((${#files[@]})); then
    remove "$folder/tmp"
    remove "$folder/scratch"
  elif ((EUID)); then
    [ -r "$folder/tmp" ] || remove "$folder/tmp"
    [ -r "$folder/scratch" ] || remove "$folder/scratch"
  fi
}

# Removes a folder. A link in its place may lead anywhere.
remove() {
  [ -d "$1" ] && ! [ -L "$1" ] || return
  rm -rf -- "$1" 2>/dev/null || { chmod -R u+rwX -- "$1" && rm -rf -- "$1"; }
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

serve
