# The keeper: enforces the limits of jobs, even while no server is running. Every second it checks the job of each slot.
#   keeper.sh ROOT BOOT-ID HOST-ID CONTAINER-SECONDS
# File descriptor 3 is the server's: its end means that the server has gone. The keeper then stays while any job runs.
root=$1 boot=$2 host=$3 container_seconds=$4 served=yes ending=' ' stopped=() pause=1 looks=0 groups='' marker='' marks='' coming='' counted_at=-10 counted_threads=0
counter=() counted=() count_began=() count_after=()
exec 2>/dev/null
LC_ALL=C
shopt -s nullglob

# Closes the files that the server has inherited, but not this script, which bash is still reading.
for open in /dev/fd/*; do
  if ((${open##*/} > 3)) && ! [ "$open" -ef "$0" ]; then eval "exec ${open##*/}>&-"; fi
done

# The options of stat differ between Linux and macOS.
if stat -c '%s %n' / >/dev/null; then sizes=(stat -L -c '%s %n'); else sizes=(stat -L -f '%z %N'); fi

# Finds the record and the log of the job that a slot is running. The file of a slot holds its birth time or, without
# /proc, the folder of its job. Continues the slot in case a job has stopped it; a running slot is not affected.
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
  # Opening a named pipe would block forever.
  [ -f "$record" ] && [ -f "$log" ]
}

# The size of the longest record. If a job has made one longer, it is damaged, and the server will detect that.
record_bytes_max=65536

# Reads a record as record-lines.ts describes it. Fails if the job has not started, has ended, or a number is malformed.
read_record() {
  group='' claim='' peak=0 cpu=0 memory_limit=0 process_limit=0 disk_limit=0 file_limit=0
  IFS= read -r -d '' -n "$record_bytes_max" text <"$1"
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

# True if the pid still names the same process, and that is not a zombie.
is_alive() {
  read -r stat <"/proc/$1/stat" || return
  stat=(${stat##*) })
  [ "${stat[0]}" != Z ] && [ "${stat[19]}" = "$2" ]
}

# Sets the age of the record's job in hundredths of a second, unaffected by changes to the time of day.
set_age() {
  if read -r stat <"/proc/$group/stat" && read -r now _ </proc/uptime; then
    stat=(${stat##*) })
    age=$((${now/./} - stat[19]))
  else
    # [[days-]hours:]minutes:seconds, read from the end
    IFS=' :-' read -r -a parts <<<"$(ps -o etime= -p "$group")"
    age=0 unit=100
    for ((part = ${#parts[@]} - 1; part >= 0; part--)); do
      age=$((age + 10#${parts[part]} * unit))
      if ((unit == 360000)); then unit=8640000; else unit=$((unit * 60)); fi
    done
  fi
}

# Number of successive checks that find a slot stopped before it is killed, if its job has ended: something prevents it
# from recording the end, and the job is then lost. A slot without a job is killed too: it would never start another.
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

# Maximum number of processes of a job whose memory is read.
measured_max=500

# Records the memory of the job if it is much more than the record says already: the memory of all its processes at this
# moment, or the most that a single one of them ever had. Counts the processes, and what they have written, too. The
# processes of a container are no children of its client, which does not count: podman writes the first one's pid into a
# file. Docker does not say where its containers run.
measure() {
  local pids=("$group") contained='' held_of=() now_kib=0 most_kib=0 held_kib=0 written=0 ticks=0 at pid kib bytes status children
  if [ -f "$root/$id/container" ]; then
    pids=() contained=yes
    find_contained && pids=("$pid")
  fi
  for ((at = 0; at < ${#pids[@]}; at++)); do
    pid=${pids[at]}
    for file in "/proc/$pid/task/"*/children; do
      read -r -a children <"$file"
      pids+=("${children[@]}")
    done
    if ((process_limit > 0 && ${#pids[@]} > process_limit)); then
      end_job process-limit ${#pids[@]}
      return
    fi
    if ((disk_limit > 0)); then measure_written; fi
    if [ "$contained" ]; then measure_time; fi
    if ((at >= measured_max)); then continue; fi
    status=''
    IFS= read -r -d '' status <"/proc/$pid/status"
    find_kib VmHWM && if ((kib > most_kib)); then most_kib=$kib; fi
    find_kib VmRSS && ((now_kib += kib))
    held_of[at]=0
    find_kib RssAnon && held_of[at]=$kib
    find_kib RssShmem && ((held_of[at] += kib))
    ((held_kib += held_of[at]))
  done
  if ((process_limit > 0)) && count_outside && ((number > process_limit)); then
    end_job process-limit "$number"
    return
  fi
  if ((disk_limit > 0 && written > disk_limit)); then end_job disk-limit "$written"; fi
  if ((memory_limit > 0)); then end_if_killed_for_memory; fi
  if ((memory_limit > 0 && held_kib * 1024 > memory_limit)); then end_if_too_large; fi
  if ((now_kib > most_kib)); then most_kib=$now_kib; fi
  if ((ticks * 10 > cpu + cpu / 16)); then printf '\ncpu %s .\n' $((ticks * 10)) >>"$record"; fi
  # Steps of a sixteenth keep the record short, however slowly the memory grows.
  if ((most_kib * 1024 > peak + peak / 16)); then printf '\npeak %s .\n' $((most_kib * 1024)) >>"$record"; fi
}

# Sets `pid` to the first process of the job's container. Fails if podman has not written it.
find_contained() {
  pid=
  # Opening a named pipe would block forever.
  [ -f "$root/$id/container.pid" ] || return
  read -r pid <"$root/$id/container.pid" # without a newline at its end: the exit code says nothing
  [ "$pid" ]
}

# Sets `kib` to a number of a process's status. The status is read as a whole: if bash reads a part of such a file and its
# process then ends, the next `read` gets the rest, whichever file it reads.
find_kib() {
  case $status in
    *$'\n'"$1:"*) kib=${status#*$'\n'"$1:"} kib=${kib%%kB*} kib=${kib//[!0-9]/} ;;
    *) return 1 ;;
  esac
}

# Successive looks between two counts of all processes, unless this machine has many more threads than before.
looks_between_counts=10

# Sets `number` to the processes of the job that can be counted outside its tree. A fork bomb leaves that tree, but not its
# control group. Without one they are counted only while this machine has more threads than a job may have processes.
count_outside() {
  number=0
  if count_group; then return; fi
  read -r _ _ _ threads _ </proc/loadavg || return
  threads=${threads#*/}
  ((threads > process_limit)) || return
  if ((looks >= counted_at + looks_between_counts || threads > counted_threads + process_limit / 8)); then
    counted_at=$looks counted_threads=$threads
    groups=$(cat /proc/[0-9]*/stat | sed -nE 's/^.*\) [A-Za-z] [0-9]+ ([0-9]+) .*$/\1/p' | sort | uniq -c)
    if ! [ "$marker" ]; then start_marker; fi
  fi
  number=$(number_of "$group" <<<"$groups")
  if ((number <= process_limit)); then number=$(number_of "REPRISE_JOB_MARK=$host/$id" <<<"$marks"); fi
}

# Sets `number` to the processes of the job's control group, without its slot and the reader of its output. While there is
# no reader, the job may have one process more than its limit.
count_group() {
  local place procs
  find_group pids || return
  procs=$(<"$place/cgroup.procs") && procs=($procs) || return
  number=$((${#procs[@]} - 2))
}

# find_group CONTROLLER
# Sets `place` to the folder of the job's control group. Fails if this server has made none for the job.
find_group() {
  local controllers path
  place=
  while IFS=: read -r _ controllers path; do
    case $controllers in "$1") place=/sys/fs/cgroup/$1$path ;; '') place=${place:-/sys/fs/cgroup$path} ;; esac
  done <"/proc/$group/cgroup"
  case $place in */reprise-"$host"/*) ;; *) return 1 ;; esac
}

# Ends the job if the kernel has killed one of its processes for memory: the others might wait for that one for ever.
end_if_killed_for_memory() {
  local place file name number killed=0 used=0
  find_group memory || return
  for file in "$place"/memory.{oom_control,events}; do
    if ! [ -f "$file" ]; then continue; fi
    while read -r name number; do
      if [ "$name" = oom_kill ]; then killed=$number; fi
    done <"$file"
  done
  ((killed)) || return
  for file in "$place"/memory.{max_usage_in_bytes,peak}; do
    if [ -f "$file" ]; then read -r used <"$file"; fi
  done
  end_job out-of-memory "${used:-0}" exact
}

# The counts below run in the background and write to no file: a job could put a named pipe or a link in its place. Each
# count has a process group of its own, which `set -m` gives it, so that all of its processes can be continued or killed.

# is_busy GROUP
# True if the count has not ended. Continues it in case a job has stopped it.
is_busy() {
  kill -0 "$1" && kill -CONT -- "-$1"
}

# Starts to count the processes that carry the marks of jobs. That takes minutes on a machine that a fork bomb has slowed
# down: a process that is starting another lets nobody read its environment. Descriptor 7 is the end to read of a pipe.
start_marker() {
  exec 7< <(:)
  set -m
  count_marks >/proc/self/fd/7 7<&- &
  marker=$!
  set +m
}

count_marks() {
  grep -hsz "^REPRISE_JOB_MARK=$host/" /proc/[0-9]*/environ | tr '\0' '\n' | sort | uniq -c
}

# Reads what count_marks has printed since the last look, so that the pipe never fills up. Sets `marks` to all of it once
# count_marks has ended.
read_marks() {
  local part seconds=0.01
  is_busy "$marker" || seconds=1
  IFS= read -r -d '' -t "$seconds" part <&7
  coming=$coming$part
  if [ "$seconds" = 1 ]; then
    exec 7<&-
    marks=$coming coming='' marker=''
  fi
}

# number_of NAME
# Prints the number that precedes the name.
number_of() {
  while read -r count name; do
    if [ "$name" = "$1" ]; then echo "$count" && return; fi
  done
  echo 0
}

# Ends the job if there are too many files in its workspace, its home and its temporary folder. Counts them in the
# background, with pauses of five seconds, and for at most a tenth of the time.
count_files() {
  local took
  if [ "${counted[slot]}" != "$id" ]; then
    forget_count "$slot"
    counted[slot]=$id count_after[slot]=0
  fi
  if [ "${counter[slot]}" ]; then
    if is_busy "${counter[slot]}"; then return; fi
    wait "${counter[slot]}"
    if (($? == too_many_files)); then end_job file-limit $((file_limit + 1)); fi
    unset "counter[slot]"
    # The end of a count is noticed up to a second later.
    took=$((SECONDS - count_began[slot] - 1))
    count_after[slot]=$((SECONDS + 5 + (took > 0 ? 9 * took : 0)))
  fi
  if ((SECONDS < count_after[slot])); then return; fi
  set -m
  compare_files "$root/$id" &
  counter[slot]=$! count_began[slot]=$SECONDS
  set +m
}

# The exit code of compare_files if there are more files than the job may have.
too_many_files=3

# compare_files FOLDER
# Counting ends one above the limit, however many files there are.
compare_files() {
  local number
  number=$(find -H "$1/workspace" "$1/scratch" "$1/tmp" -xdev -mindepth 1 -print0 |
    tr -dc '\0' | head -c $((file_limit + 1)) | wc -c)
  if ((number > file_limit)); then return "$too_many_files"; fi
}

# forget_count SLOT
# Ends the count of a job that the slot does not run any more.
forget_count() {
  if [ "${counter[$1]}" ]; then kill -KILL -- "-${counter[$1]}"; fi
  unset "counter[$1]" "counted[$1]"
}

# Forgets the counts of all jobs that were not found at this look.
forget_counts() {
  local slot
  for slot in "${!counted[@]}"; do
    case " ${slots[*]##*/} " in *" $slot "*) ;; *) forget_count "$slot" ;; esac
  done
}

# Adds what a process has written to disk. The kernel adds what its children have written when they end.
measure_written() {
  while read -r name bytes; do
    if [ "$name" = write_bytes: ]; then ((written += bytes)); fi
  done <"/proc/$pid/io"
}

# Ends a job whose container podman's monitor has not made in time: if the monitor's helper is killed, the monitor waits for
# ever, and podman for the monitor. Podman itself may take long before it starts the monitor, as for a large image.
end_if_not_made() {
  local started file pid
  [ -f "$root/$id/container" ] && ! [ -s "$root/$id/container.pid" ] && ((age >= container_seconds * 100)) || return
  IFS= read -r started <"$root/$id/container" # without a newline at its end: the exit code says nothing
  [[ $started == *'"name":"podman"'* ]] || return
  for file in $(grep -lszE "^reprise-[0-9a-f]+-$id\$" /proc/[0-9]*/cmdline); do
    pid=${file#/proc/} pid=${pid%/cmdline}
    read -r stat <"/proc/$pid/stat" && read -r now _ </proc/uptime || continue
    stat=(${stat##*) })
    if ((${now/./} - stat[19] >= container_seconds * 100)); then
      # The search took a while. Since then the container may have been made, and its command may run.
      [ -s "$root/$id/container.pid" ] || end_job not-started
      return
    fi
  done
}

# Number of processes whose processor time is still read if a job must be killed at once.
quick_max=10

# record_time PROCESSES-MAX
# Records the processor time of a job that is being ended: nobody waits for processes whose parent ends before them.
record_time() {
  local pids=("$group") ticks=0 at pid file children
  if [ -f "$root/$id/container" ]; then
    pids=()
    find_contained && pids=("$pid")
  fi
  for ((at = 0; at < ${#pids[@]} && at < $1; at++)); do
    pid=${pids[at]}
    for file in "/proc/$pid/task/"*/children; do
      read -r -a children <"$file"
      pids+=("${children[@]}")
    done
    measure_time
  done
  if ((ticks > 0)); then printf '\nspent %s .\n' $((ticks * 10)) >>"$record"; fi
}

# Adds the processor time of a process in ticks of 10 ms, with that of its children that have ended.
measure_time() {
  local fields
  read -r fields <"/proc/$pid/stat" || return
  fields=(${fields##*) })
  ((ticks += fields[11] + fields[12] + fields[13] + fields[14]))
}

# Ends the job if its processes hold more memory than its limit. Pages of files do not count, because the kernel can take
# them back. Pages that processes share count once, as far as the kernel tells this user: that is too slow to be asked
# unless the plain sum is over the limit.
end_if_too_large() {
  local held_kib=0 own_kib
  for ((at = 0; at < ${#held_of[@]}; at++)); do
    own_kib=''
    while read -r name kib _; do
      case $name in Pss_Anon: | Pss_Shmem:) ((own_kib += kib)) ;; esac
    done <"/proc/${pids[at]}/smaps_rollup"
    if [ "$own_kib" = '' ]; then own_kib=$(held_now "${pids[at]}"); fi
    ((held_kib += own_kib))
  done
  if ((held_kib * 1024 > memory_limit)); then end_job out-of-memory $((held_kib * 1024)); fi
}

# Prints what a process holds with all that it shares. A process that has ended since it was measured holds nothing.
held_now() {
  local held_kib=0
  while read -r name kib _; do
    case $name in RssAnon: | RssShmem:) ((held_kib += kib)) ;; esac
  done <"/proc/$1/status"
  echo "$held_kib"
}

look_at_all() {
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
  at=0
  while read -r size log; do
    while [ "${logs[at]}" != "$log" ]; do ((++at < ${#logs[@]})) || return; done
    # Ignores the size if the slot was no longer running the same job when it was read.
    is_running "${slots[at]}" "${claims[at]}" || continue
    if ((output_limit > 0 && size > output_limit)); then end_job output-limit; fi
  done < <("${sizes[@]}" "${logs[@]}")
}

# is_running SLOT CLAIM
# Reads the record again. True if the slot is still running the same job.
is_running() {
  find_job "$1" && read_record "$record" && [ "$claim" = "$2" ]
}

# end_job REASON [USED [exact]]
# Marks and ends the job whose record was read last, once.
end_job() {
  case $ending in *" $claim "*) return ;; esac
  ending="$ending$claim "
  printf '\nmarked %s .\n' "$*" >>"$record"
  end_by_force "$found" "$claim" "$1" &
}

# Keeps only the claims of ended jobs that were found at this look.
forget_ended() {
  local claim still=' '
  for claim in "${claims[@]}"; do
    case $ending in *" $claim "*) still="$still$claim " ;; esac
  done
  ending=$still
}

# Rounds in which the processes that carry the mark of a job are killed, until none is left.
kill_rounds_max=100

# Sets the process group that is asked to end. bwrap would die of the signal and take the command along: in the sandbox
# the command is in a session of its own, which bwrap's child leads. ask-to-end.ts has the same rule.
set_group_to_ask() {
  local child=
  group_to_ask=$group
  read -r stat <"/proc/$group/stat" && [[ $stat == *" (bwrap) "* ]] || return
  read -r child _ <"/proc/$group/task/$group/children" # without a newline at its end: the exit code says nothing
  [ "$child" ] && read -r stat <"/proc/$child/stat" || return
  stat=(${stat##*) })
  if [ "${stat[3]}" = "$child" ]; then group_to_ask=$child; fi
}

# end_by_force SLOT CLAIM REASON
# Sends SIGTERM, then SIGKILL, then kills what left the process group. A job over its memory or process limit
# is killed at once: it could grow further.
end_by_force() {
  mark=REPRISE_JOB_MARK=$host/$id
  case $3 in
    out-of-memory | process-limit) record_time "$quick_max" ;;
    *)
      record_time "$measured_max"
      set_group_to_ask
      kill -TERM -- "-$group_to_ask"
      sleep 2
      is_running "$1" "$2" && record_time "$measured_max"
      ;;
  esac
  is_running "$1" "$2" && kill -KILL -- "-$group"
  # Processes that are being killed may start others.
  for ((round = 0; round < kill_rounds_max; round++)); do
    files=($(grep -lszx "$mark" /proc/[0-9]*/environ))
    if [ ${#files[@]} = 0 ]; then return; fi
    files=("${files[@]#/proc/}")
    kill -KILL "${files[@]%/environ}"
  done
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
if [ "$marker" ]; then kill -KILL -- "-$marker"; fi
