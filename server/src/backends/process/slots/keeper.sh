# The keeper: enforces the limits of jobs, even while no server is running. Every second it checks the job of each slot.
#   keeper.sh ROOT HOST-ID CONTAINER-SECONDS
# File descriptor 3 is the server's: its end means that the server has gone. The keeper then stays while any job runs.
#
# These variables describe the job that is checked. They keep their values until the next job is read.
#   find_job     found (the file of the slot), slot (its pid), slot_state (a letter, as in /proc/PID/stat), record and log
#                (paths)
#   read_record  claim (the whole line), id, group; time_limit, output_limit, memory_limit, process_limit, disk_limit and
#                file_limit (0 for none); peak (bytes) and cpu (milliseconds), as recorded before
#   set_age      age (hundredths of a second)
# Only the functions that `measure` calls see its variables:
#   pids and contained (see find_first_process), pid (the process that is measured) and at (its place in pids)
#   now_kib, most_kib, held_kib (memory of all), held_of (memory of each), written (bytes), ticks (of 10 ms)
#   number (the processes of the job that count_outside has found)
root=$1 host=$2 container_seconds=$3 served=yes pause=1 looks=0
LC_ALL=C
shopt -s nullglob

# Closes the files that the server has inherited, but not this script, which bash is still reading.
for open in /dev/fd/*; do
  if ((${open##*/} > 3)) && ! [ "$open" -ef "$0" ]; then eval "exec ${open##*/}>&-"; fi
done

# shellcheck source=keeper-measure.sh
. "${0%/*}/keeper-measure.sh"
# shellcheck source=keeper-end.sh
. "${0%/*}/keeper-end.sh"

# The options of stat differ between Linux and macOS.
if stat -c '%s %n' / >/dev/null 2>&1; then sizes=(stat -L -c '%s %n'); else sizes=(stat -L -f '%z %N'); fi

# The file to which this shell and the slots print their faults (helper-log.ts), and the size at which it is emptied.
faults=/proc/$$/fd/2 faults_bytes_max=65536

# Finds the record and the log of the job that a slot is running. The file of a slot holds its birth time or, without
# /proc, the folder of its job. Continues the slot in case a job has stopped it; a running slot is not affected.
find_job() {
  local said stat=''
  found=$1 slot=${1##*/} slot_state='' group=''
  [ -f "$1" ] && read_line said "$1" && [ "$said" ] || return
  if [ -d /proc/self/fd ]; then
    is_alive "$slot" "$said" && record=/proc/$slot/fd/4 log=/proc/$slot/fd/5 || return
  else
    kill -0 "$slot" 2>/dev/null && record=$said/record log=$said/log || return
  fi
  slot_state=${stat[0]}
  kill -CONT "$slot" 2>/dev/null
  # Opening a named pipe would block forever.
  [ -f "$record" ] && [ -f "$log" ]
}

# read_line NAME FILE
# Sets a variable to the first line of a short file. `read` itself would never end with a large file of zeros.
read_line() {
  local text=''
  IFS= read -r -d '' -n 4096 text 2>/dev/null <"$2"
  printf -v "$1" %s "${text%%$'\n'*}"
}

# The size of the longest record. If a job has made one longer, it is damaged, and the server will detect that.
record_bytes_max=65536

# Reads a record as record-lines.ts describes it. Fails if the job has not started, has ended, or a number is malformed.
read_record() {
  local text lines line fields
  group='' claim='' peak=0 cpu=0 memory_limit=0 process_limit=0 disk_limit=0 file_limit=0
  IFS= read -r -d '' -n "$record_bytes_max" text 2>/dev/null <"$1"
  set -f
  IFS=$'\n' lines=($text)
  IFS=$' \t\n'
  for line in "${lines[@]}"; do
    fields=($line)
    case $line in
      "claimed "*" .")
        if [ "$claim" = '' ]; then
          claim=$line id=${fields[5]} time_limit=${fields[6]} output_limit=${fields[7]}
          memory_limit=${fields[8]/#./0} process_limit=${fields[9]:-0} disk_limit=${fields[10]:-0}
          file_limit=${fields[11]:-0}
        fi
        ;;
      "group "*" .") if [ "$group" = '' ]; then group=${fields[1]}; fi ;;
      "peak "*" .") peak=${fields[1]} ;;
      "cpu "*" .") cpu=${fields[1]} ;;
      "ended "*" .") group='' && break ;;
    esac
  done
  set +f
  # A claim of an earlier version has fewer limits.
  process_limit=${process_limit/#./0} disk_limit=${disk_limit/#./0} file_limit=${file_limit/#./0}
  case $group$time_limit$output_limit$memory_limit$process_limit$disk_limit$file_limit$peak$cpu in *[!0-9]*) return 1 ;; esac
  [ "$claim" ] && [ "$group" ] && ((group > 1))
}

# note WORD…
# Adds a line to the record that was read last. The job may have ended since, and its slot may have closed the record.
note() {
  printf '\n%s .\n' "$*" 2>/dev/null >>"$record"
}

# is_alive PID BIRTH-TIME
# True if the pid still names the same process, and that is not a zombie. Sets `stat`.
is_alive() {
  read -r stat 2>/dev/null <"/proc/$1/stat" || return
  stat=(${stat##*) })
  [ "${stat[0]}" != Z ] && [ "${stat[19]}" = "$2" ]
}

# is_running SLOT CLAIM
# Reads the record again. True if the slot is still running the same job.
is_running() {
  find_job "$1" && read_record "$record" && [ "$claim" = "$2" ]
}

# Checks the job of each slot. Sets `slots`, `logs` and `claims` to those of the jobs that it finds.
look_at_all() {
  local file has_job at=0 size path
  pause=1
  ((++looks))
  slots=() logs=() claims=()
  if [ "$marker" ]; then read_marks; fi
  for file in "$root"/slots/*; do
    find_job "$file" && read_record "$record"
    has_job=$?
    end_stuck_slot
    ((has_job == 0)) || continue
    # A job with a memory limit is checked more often, so that it cannot grow far beyond.
    if ((memory_limit > 0 && BASH_VERSINFO[0] >= 4)); then pause=0.25; fi
    measure
    if ((file_limit > 0)); then count_files; fi
    set_age
    if ((time_limit > 0 && age >= time_limit)); then end_job time-limit; fi
    end_if_not_made
    slots+=("$found") logs+=("$log") claims+=("$claim")
  done
  forget_counts
  forget_ended
  if [ ${#logs[@]} = 0 ]; then return; fi
  while read -r size path; do
    if [ "$path" = "$faults" ]; then
      if ((size > faults_bytes_max)); then : >"$faults"; fi
      continue
    fi
    while [ "${logs[at]}" != "$path" ]; do ((++at < ${#logs[@]})) || return; done
    # Ignores the size if the slot was no longer running the same job when it was read.
    is_running "${slots[at]}" "${claims[at]}" || continue
    if ((output_limit > 0 && size > output_limit)); then end_job output-limit; fi
  done < <("${sizes[@]}" "$faults" "${logs[@]}" 2>/dev/null)
}

while
  if [ "$served" ]; then
    read -r -t "$pause" _ <&3
    # A timeout returns more than 128. The bash of macOS cannot tell: its keeper exits early, and is started again.
    (($? > 128)) || served=
  else
    sleep "$pause"
  fi
  look_at_all
  [ "$served" ] || [ ${#logs[@]} -gt 0 ]
do :; done
if [ "$marker" ]; then kill -KILL -- "-$marker" 2>/dev/null; fi
