# The keeper: holds the limits of jobs, also while no server is there. Once a second it looks at the job of every slot.
#   keeper.sh ROOT BOOT-ID HOST-ID
# File descriptor 3 is the server's: its end says that the server has gone. Then the keeper stays as long as any job runs.
root=$1 boot=$2 host=$3 served=yes ending=' '
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
# no /proc, the folder of its job.
find_job() {
  found=$1 slot=${1##*/}
  [ -f "$1" ] && IFS= read -r said <"$1" || return
  if [ -d /proc/self/fd ]; then
    # Only of a slot that is one still: opening what another process has open could wait for ever.
    is_alive "$slot" "$said" && record=/proc/$slot/fd/4 log=/proc/$slot/fd/5
  else
    kill -0 "$slot" && record=$said/record log=$said/log
  fi
}

# What record.ts describes. Fails when the job has not begun, or has ended.
read_record() {
  group='' claim=''
  while IFS= read -r line; do
    case $line in
      "claimed "*" .") if [ "$claim" = '' ]; then set -- "$1" $line && claim=$line id=$7 time_limit=$8 output_limit=$9; fi ;;
      "group "*" .") if [ "$group" = '' ]; then set -- "$1" $line && group=$3; fi ;;
      "ended "*" .") return 1 ;;
    esac
  done <"$1"
  [ "$group" ]
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

look_at_all() {
  slots=() logs=() claims=()
  for file in "$root"/slots/*; do
    find_job "$file" && read_record "$record" || continue
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
