# The keeper: holds the limits of jobs, also while no server is there. Once a second it looks at the job of every slot.
#   keeper.sh ROOT BOOT-ID
# File descriptor 3 is the server's: its end says that the server has gone. Then the keeper stays as long as any job runs.
root=$1 boot=$2 served=yes ending=' '
exec 2>/dev/null
LC_ALL=C
shopt -s nullglob

# How sizes are asked for differs between Linux and macOS.
if stat -c '%s %n' / >/dev/null; then sizes=(stat -c '%s %n'); else sizes=(stat -f '%z %N'); fi

# What record.ts describes. Fails when there is no job to look after.
read_record() {
  pid='' group=''
  while IFS= read -r line; do
    case $line in
      "claimed "*" .") if [ "$pid" = '' ]; then set -- $line && pid=$2 born=$3 time_limit=$6 output_limit=$7; fi ;;
      "group "*" .") if [ "$group" = '' ]; then set -- $line && group=$2 began=$3; fi ;;
      "ended "*" .") return 1 ;;
    esac
  done <"$1/record"
  [ "$group" ] && is_alive "$pid" "$born"
}

# The same process still, and no zombie. Without /proc a pid that was given to another process is taken for the old one.
is_alive() {
  if [ -d /proc/self ]; then
    read -r stat <"/proc/$1/stat" || return 1
    stat=(${stat##*) })
    [ "${stat[0]}" != Z ] && [ "${stat[19]}" = "$2" ]
  else
    kill -0 "$1"
  fi
}

# For how long the job of the record has run, in hundredths of a second, whatever was done to the time of day.
set_age() {
  if read -r now _ </proc/uptime; then
    age=$((${now/./} - began))
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
  folders=() logs=() limits=()
  for slot in "$root"/slots/*; do
    IFS= read -r folder <"$slot" && read_record "$folder" || continue
    set_age
    if ((time_limit > 0 && age >= time_limit)); then end_job time-limit "$folder"; fi
    folders+=("$folder") logs+=("$folder/log") limits+=("$output_limit")
  done
  if [ ${#logs[@]} = 0 ]; then return; fi
  at=0
  while read -r size log; do
    while [ "${logs[at]}" != "$log" ]; do ((at++ < ${#logs[@]})) || return; done
    if ((limits[at] > 0 && size > limits[at])); then end_job output-limit "${folders[at]}"; fi
  done < <("${sizes[@]}" "${logs[@]}")
}

end_job() {
  case $ending in *" $2 "*) return ;; esac
  ending="$ending$2 "
  printf '\nmarked %s .\n' "$1" >>"$2/record"
  end_by_force "$2" &
}

# Asks, then kills, then kills what left the process group.
end_by_force() {
  read_record "$1" && kill -TERM -- "-$group"
  sleep 2
  read_record "$1" && kill -KILL -- "-$group"
  for found in $(grep -lszx "REPRISE_JOB_ID=${1##*/}" /proc/[0-9]*/environ); do
    found=${found#/proc/}
    kill -KILL "${found%/environ}"
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
