# Functions by which the keeper (keeper.sh) measures the jobs.

# Sets the age of the record's job in hundredths of a second, unaffected by changes to the time of day.
set_age() {
  local stat now parts part unit=100
  if read -r stat 2>/dev/null <"/proc/$group/stat" && read -r now _ </proc/uptime; then
    stat=(${stat##*) })
    age=$((${now/./} - stat[19]))
  else
    # [[days-]hours:]minutes:seconds, read from the end
    IFS=' :-' read -r -a parts <<<"$(ps -o etime= -p "$group")"
    age=0
    for ((part = ${#parts[@]} - 1; part >= 0; part--)); do
      age=$((age + 10#${parts[part]} * unit))
      if ((unit == 360000)); then unit=8640000; else unit=$((unit * 60)); fi
    done
  fi
}

# Maximum number of processes of a job whose memory is read.
measured_max=500

# Measures the job, ends it if it exceeds a limit, and records what it uses.
measure() {
  local pids contained held_of=() now_kib=0 most_kib=0 held_kib=0 written=0 ticks=0 number at pid
  find_first_process
  for ((at = 0; at < ${#pids[@]}; at++)); do
    pid=${pids[at]}
    add_children
    if ((process_limit > 0 && ${#pids[@]} > process_limit)); then
      end_job process-limit ${#pids[@]}
      return
    fi
    if ((disk_limit > 0)); then measure_written; fi
    if [ "$contained" ]; then measure_time; fi
    if ((at < measured_max)); then measure_memory; fi
  done
  if ((process_limit > 0)) && count_outside && ((number > process_limit)); then
    end_job process-limit "$number"
    return
  fi
  if ((disk_limit > 0 && written > disk_limit)); then end_job disk-limit "$written"; fi
  if ((memory_limit > 0)); then end_if_killed_for_memory; fi
  if ((memory_limit > 0 && held_kib * 1024 > memory_limit)); then end_if_too_large; fi
  record_use
}

# Sets `pids` to the first process of the job, if it is known, and `contained` if the job runs in a container. The
# processes of a container are no children of its client, which does not count: podman writes the first one's pid into a
# file. The keeper does not ask docker where its containers run.
find_first_process() {
  local pid=''
  pids=("$group") contained=''
  [ -f "$root/$id/container" ] || return
  pids=() contained=yes
  # Opening a named pipe would block forever.
  [ -f "$root/$id/container.pid" ] || return
  read_line pid "$root/$id/container.pid"
  if [ "$pid" ]; then pids=("$pid"); fi
}

# Adds the children of a process to `pids`.
add_children() {
  local file children
  for file in "/proc/$pid/task/"*/children; do
    children=()
    read -r -a children 2>/dev/null <"$file"
    pids+=("${children[@]}")
  done
}

# Adds what a process has in memory, and what of that the kernel cannot take back.
measure_memory() {
  local status='' kib
  IFS= read -r -d '' status 2>/dev/null <"/proc/$pid/status"
  find_kib VmHWM && if ((kib > most_kib)); then most_kib=$kib; fi
  find_kib VmRSS && ((now_kib += kib))
  held_of[at]=0
  find_kib RssAnon && held_of[at]=$kib
  find_kib RssShmem && ((held_of[at] += kib))
  ((held_kib += held_of[at]))
}

# Sets `kib` to a number of a process's status. The status is read as a whole: if bash reads a part of such a file and its
# process then ends, the next `read` gets the rest, whichever file it reads.
find_kib() {
  case $status in
    *$'\n'"$1:"*) kib=${status#*$'\n'"$1:"} kib=${kib%%kB*} kib=${kib//[!0-9]/} ;;
    *) return 1 ;;
  esac
}

# Records the memory of the job if it is much more than the record says already: the memory of all its processes at this
# moment, or the most that a single one of them ever had. Records the processor time of a container in the same way.
record_use() {
  if ((now_kib > most_kib)); then most_kib=$now_kib; fi
  if ((ticks * 10 > cpu + cpu / 16)); then note cpu $((ticks * 10)); fi
  # Steps of a sixteenth keep the record short, however slowly the memory grows.
  if ((most_kib * 1024 > peak + peak / 16)); then note peak $((most_kib * 1024)); fi
}

# Adds what a process has written to disk. The kernel adds what its children have written when they end.
measure_written() {
  local name bytes
  while read -r name bytes; do
    if [ "$name" = write_bytes: ]; then ((written += bytes)); fi
  done 2>/dev/null <"/proc/$pid/io"
}

# Adds the processor time of a process in ticks of 10 ms, with that of its children that have ended.
measure_time() {
  local fields
  read -r fields 2>/dev/null <"/proc/$pid/stat" || return
  fields=(${fields##*) })
  ((ticks += fields[11] + fields[12] + fields[13] + fields[14]))
}

# Number of processes whose processor time is still read if a job must be killed at once.
quick_max=10

# record_time PROCESSES-MAX
# Records the processor time of a job that is being ended: nobody waits for processes whose parent ends before them.
record_time() {
  local pids contained ticks=0 at pid
  find_first_process
  for ((at = 0; at < ${#pids[@]} && at < $1; at++)); do
    pid=${pids[at]}
    add_children
    measure_time
  done
  if ((ticks > 0)); then note spent $((ticks * 10)); fi
}

# Ends the job if the kernel has killed one of its processes for memory: the others might wait for that one for ever.
end_if_killed_for_memory() {
  local place file name number killed=0 used=0
  find_group memory || return
  for file in "$place"/memory.{oom_control,events}; do
    if ! [ -f "$file" ]; then continue; fi
    while read -r name number; do
      if [ "$name" = oom_kill ]; then killed=$number; fi
    done 2>/dev/null <"$file"
  done
  ((killed)) || return
  for file in "$place"/memory.{max_usage_in_bytes,peak}; do
    if [ -f "$file" ]; then read -r used 2>/dev/null <"$file"; fi
  done
  end_job out-of-memory "${used:-0}" exact
}

# Ends the job if its processes hold more memory than its limit. Pages of files do not count, because the kernel can take
# them back. Pages that processes share count once, as far as the kernel tells this user: that is too slow to be asked
# unless the plain sum is over the limit.
end_if_too_large() {
  local held_kib=0 at own_kib name kib
  for ((at = 0; at < ${#held_of[@]}; at++)); do
    own_kib=''
    while read -r name kib _; do
      case $name in Pss_Anon: | Pss_Shmem:) ((own_kib += kib)) ;; esac
    done 2>/dev/null <"/proc/${pids[at]}/smaps_rollup"
    if [ "$own_kib" = '' ]; then own_kib=$(held_now "${pids[at]}"); fi
    ((held_kib += own_kib))
  done
  if ((held_kib * 1024 > memory_limit)); then end_job out-of-memory $((held_kib * 1024)); fi
}

# Prints what a process holds with all that it shares. A process that has ended since it was measured holds nothing.
held_now() {
  local held_kib=0 name kib
  while read -r name kib _; do
    case $name in RssAnon: | RssShmem:) ((held_kib += kib)) ;; esac
  done 2>/dev/null <"/proc/$1/status"
  echo "$held_kib"
}

# find_group CONTROLLER
# Sets `place` to the folder of the job's control group. Fails if this server has made none for the job.
find_group() {
  local controllers path
  place=
  while IFS=: read -r _ controllers path; do
    case $controllers in "$1") place=/sys/fs/cgroup/$1$path ;; '') place=${place:-/sys/fs/cgroup$path} ;; esac
  done 2>/dev/null <"/proc/$group/cgroup"
  case $place in */reprise-"$host"/*) ;; *) return 1 ;; esac
}

# Successive looks between two counts of all processes, unless this machine has many more threads than before.
looks_between_counts=10
# The last count of all processes: at which look it was, the threads of this machine, and how many processes each process
# group had.
counted_at=-10 counted_threads=0 groups=''
# How many processes carry each mark, the part of the next such count that was read, and the process group that counts.
marks='' coming='' marker=''

# Sets `number` to the processes of the job that can be counted outside its tree. A fork bomb leaves that tree, but not its
# control group. Without one they are counted only while this machine has more threads than a job may have processes.
count_outside() {
  local threads
  number=0
  if count_group; then return; fi
  read -r _ _ _ threads _ </proc/loadavg || return
  threads=${threads#*/}
  ((threads > process_limit)) || return
  if ((looks >= counted_at + looks_between_counts || threads > counted_threads + process_limit / 8)); then
    counted_at=$looks counted_threads=$threads
    groups=$(cat /proc/[0-9]*/stat 2>/dev/null | sed -nE 's/^.*\) [A-Za-z] [0-9]+ ([0-9]+) .*$/\1/p' | sort | uniq -c)
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
  { procs=$(<"$place/cgroup.procs"); } 2>/dev/null && procs=($procs) || return
  number=$((${#procs[@]} - 2))
}

# number_of NAME
# Prints the number that precedes the name.
number_of() {
  local count name
  while read -r count name; do
    if [ "$name" = "$1" ]; then echo "$count" && return; fi
  done
  echo 0
}

# The counts below run in the background and write to no file: a job could put a named pipe or a link in its place. Each
# count has a process group of its own, which `set -m` gives it, so that all of its processes can be continued or killed.

# is_busy GROUP
# True if the count has not ended. Continues it in case a job has stopped it.
is_busy() {
  kill -0 "$1" 2>/dev/null && kill -CONT -- "-$1" 2>/dev/null
}

# Starts to count the processes that carry the marks of jobs. That takes minutes on a machine that a fork bomb has slowed
# down: the environment of a process that is starting another cannot be read. Descriptor 7 is the end to read of a pipe.
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

# Of each slot: the process group that counts the files of its job, the id of that job, when the count began, and when the
# next may begin.
counter=() counted=() count_began=() count_after=()
# The exit code of compare_files if there are more files than the job may have.
too_many_files=3

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

# compare_files FOLDER
# Counting ends one above the limit, however many files there are.
compare_files() {
  local number
  number=$(find -H "$1/workspace" "$1/scratch" "$1/tmp" -xdev -mindepth 1 -print0 2>/dev/null |
    tr -dc '\0' | head -c $((file_limit + 1)) | wc -c)
  if ((number > file_limit)); then return "$too_many_files"; fi
}

# forget_count SLOT
# Ends the count of a job that the slot does not run any more.
forget_count() {
  if [ "${counter[$1]}" ]; then kill -KILL -- "-${counter[$1]}" 2>/dev/null; fi
  unset "counter[$1]" "counted[$1]"
}

# Forgets the counts of all jobs that were not found at this look.
forget_counts() {
  local slot
  for slot in "${!counted[@]}"; do
    case " ${slots[*]##*/} " in *" $slot "*) ;; *) forget_count "$slot" ;; esac
  done
}
