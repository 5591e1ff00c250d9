# The keeper: holds the limits of jobs, also while no server is there. Once a second it looks at the job of every slot.
#   keeper.sh ROOT BOOT-ID HOST-ID
# File descriptor 3 is the server's: its end says that the server has gone. Then the keeper stays as long as any job runs.
root=$1 boot=$2 host=$3 served=yes ending=' ' stopped=()
exec 2>/dev/null
LC_ALL=C
shopt -s nullglob

# What the server itself was started with is nobody's business; this script is.
for open in /dev/fd/*; do
  if ((${open##*/} > 3)) && ! [ "$open" -ef "$0" ]; then eval "exec ${open##*/}>&-"; fi
done

# How sizes are asked for differs between Linux and macOS.
if stat -c '%s %n' / >/dev/null; then sizes=(stat -L -c '%s %n'); else sizes=(stat -L -f '%z %N'); fi

# Where the record and the log of the job are that a slot is at. The file of a slot holds when it was born; where there is
# no /proc, the folder of its job. A slot that a job has stopped is continued; to any other that does nothing.
find_job() {
  found=$1 slot=${1##*/} slot_state='' group=''
  [ -f "$1" ] && IFS= read -r said <"$1" || return
  if [ -d /proc/self/fd ]; then
    is_alive "$slot" "$said" && record=/proc/$slot/fd/4 log=/proc/$slot/fd/5 || return
  else
    kill -0 "$slot" && record=$said/record log=$said/log || return
  fi
  slot_state=${stat[0]}
  kill -CONT "$slot"
  # Opening a named pipe would wait for ever.
  [ -f "$record" ] && [ -f "$log" ]
}

# No record is longer. What a job has made longer is damaged, and is the server's to find.
record_bytes_max=65536

# What record-lines.ts describes. Fails when the job has not begun, or has ended, or when numbers are none.
read_record() {
  group='' claim='' peak=0
  IFS= read -r -d '' -n "$record_bytes_max" text <"$1"
  set -f
  IFS=$'\n' lines=($text)
  IFS=$' \t\n'
  for line in "${lines[@]}"; do
    fields=($line)
    case $line in
      "claimed "*" .")
        if [ "$claim" = '' ]; then claim=$line id=${fields[5]} time_limit=${fields[6]} output_limit=${fields[7]}; fi
        ;;
      "group "*" .") if [ "$group" = '' ]; then group=${fields[1]}; fi ;;
      "peak "*" .") peak=${fields[1]} ;;
      "ended "*" .") group='' && break ;;
    esac
  done
  set +f
  case $group$time_limit$output_limit$peak in *[!0-9]*) return 1 ;; esac
  [ "$claim" ] && [ "$group" ] && ((group > 1))
}

# The same process still, and no zombie.
is_alive() {
  read -r stat <"/proc/$1/stat" || return
  stat=(${stat##*) })
  [ "${stat[0]}" != Z ] && [ "${stat[19]}" = "$2" ]
}

# For how long the job of the record has run, in hundredths of a second, whatever was done to the time of day.
set_age() {
  if read -r stat <"/proc/$group/stat" && read -r now _ </proc/uptime; then
    stat=(${stat##*) })
    age=$((${now/./} - stat[19]))
  else
    # [[days-]hours:]minutes:seconds, from its end
    IFS=' :-' read -r -a parts <<<"$(ps -o etime= -p "$group")"
    age=0 unit=100
    for ((part = ${#parts[@]} - 1; part >= 0; part--)); do
      age=$((age + 10#${parts[part]} * unit))
      if ((unit == 360000)); then unit=8640000; else unit=$((unit * 60)); fi
    done
  fi
}

# A slot that was found stopped in so many looks one after the other, and whose job has ended, is killed: something keeps it
# from recording the end, and the job is lost then. One without a job is killed too: it would never begin its next.
stopped_looks_max=10
end_stuck_slot() {
  if [ "$slot_state" != T ]; then
    unset "stopped[slot]"
  elif ((++stopped[slot] >= stopped_looks_max)) && has_ended "$group"; then
    kill -KILL "$slot"
  fi
}

has_ended() {
  [ "$1" ] && read -r stat <"/proc/$1/stat" || return 0
  [[ $stat == *") Z "* ]]
}

# How many processes of a job are asked for their memory at most.
measured_max=500

# Adds to the record what memory the job was seen to have, if that is much more than what the record says already: what all
# its processes have now, or the most that one of them ever had.
measure_memory() {
  local pids=("$group") now_kib=0 most_kib=0 at pid name kib children
  for ((at = 0; at < ${#pids[@]} && at < measured_max; at++)); do
    pid=${pids[at]}
    while read -r name kib _; do
      case $name in
        VmHWM:) if ((kib > most_kib)); then most_kib=$kib; fi ;;
        VmRSS:) ((now_kib += kib)) && break ;;
      esac
    done <"/proc/$pid/status" || continue
    for file in "/proc/$pid/task/"*/children; do
      read -r -a children <"$file"
      pids+=("${children[@]}")
    done
  done
  if ((now_kib > most_kib)); then most_kib=$now_kib; fi
  # In such steps the record stays short, however slowly the memory grows.
  if ((most_kib * 1024 > peak + peak / 16)); then printf '\npeak %s .\n' $((most_kib * 1024)) >>"$record"; fi
}

look_at_all() {
  slots=() logs=() claims=()
  for file in "$root"/slots/*; do
    find_job "$file" && read_record "$record"
    has_job=$?
    end_stuck_slot
    ((has_job == 0)) || continue
    measure_memory
    set_age
    if ((time_limit > 0 && age >= time_limit)); then end_job time-limit; fi
    slots+=("$found") logs+=("$log") claims+=("$claim")
  done
  if [ ${#logs[@]} = 0 ]; then return; fi
  at=0
  while read -r size log; do
    while [ "${logs[at]}" != "$log" ]; do ((++at < ${#logs[@]})) || return; done
    # Only if the slot was at the same job when the size was asked for.
    find_job "${slots[at]}" && read_record "$record" && [ "$claim" = "${claims[at]}" ] || continue
    if ((output_limit > 0 && size > output_limit)); then end_job output-limit; fi
  done < <("${sizes[@]}" "${logs[@]}")
}

# Of the job whose record was read last.
end_job() {
  case $ending in *" $claim "*) return ;; esac
  ending="$ending$claim "
  printf '\nmarked %s .\n' "$1" >>"$record"
  end_by_force "$found" "$claim" &
}

# Asks, then kills, then kills what left the process group.
end_by_force() {
  kill -TERM -- "-$group"
  mark=REPRISE_JOB_MARK=$host/$id
  sleep 2
  find_job "$1" && read_record "$record" && [ "$claim" = "$2" ] && kill -KILL -- "-$group"
  for file in $(grep -lszx "$mark" /proc/[0-9]*/environ); do
    file=${file#/proc/}
    kill -KILL "${file%/environ}"
  done
}

while
  if [ "$served" ]; then
    read -r -t 1 _ <&3
    # A timeout is more than 128. The bash of macOS cannot tell: its keeper leaves early, and is started again.
    (($? > 128)) || served=
  else
    sleep 1
  fi
  look_at_all
  [ "$served" ] || [ ${#logs[@]} -gt 0 ]
do :; done
