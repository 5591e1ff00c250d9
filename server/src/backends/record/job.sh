# shellcheck shell=sh disable=SC2154
# Supervises one attempt of a job on a node of a cluster, in any POSIX shell. The order precedes these lines (order.ts): it sets
# record, workspace, news, mark, mask, time_limit (seconds), output_limit (bytes), memory_limit (KiB), in_image, outside,
# restart and node; awaited_until (seconds since 1970) and await_limit (seconds) for files of earlier jobs; and find_made, which finds files in
# the folders where the job makes some, if lists_made is set; find_declared, which finds files in the folders of the declared outputs; and
# digested_bytes, the limit on the bytes that are read for digests. The output of this script is the cluster's own file about the job; the job prints into its log.

# The time in milliseconds since 1970. A date without nanoseconds gives whole seconds.
now() {
  nanoseconds=$(date +%s%N)
  case $nanoseconds in *[!0-9]*) nanoseconds=$(date +%s)000000000 ;; esac
  echo "${nanoseconds%??????}"
}

# Tells the server that the record has news. Each message has a name of its own: the node may remember a file that the server has
# removed, and then it can neither open nor make a file of that name.
tell() {
  told=$((told + 1))
  touch "$news.$told"
}

# Takes the claim of the attempt. A script that comes second leaves: the command runs at most once.
claim() {
  if ! refusal=$(LC_ALL=C mkdir "$record/claim" 2>&1); then
    if [ -d "$record/claim" ]; then exit 0; fi
    echo "reprise: The node $node cannot use ${record}: ${refusal##*: }. The folder must be mounted there, at the same path, writable and with free space."
    exit 126
  fi
  printf 'node %s\npid %s\noutside %s\nrestart %s\nstarted %s\n.\n' "$node" "$$" "$outside" "$restart" "$started" >"$record/claim/.owner"
  mv "$record/claim/.owner" "$record/claim/owner"
  tell
}

# The processes of the job on this node, as folders of /proc. Each process inherits the mark, wherever it goes.
marked() {
  grep -lsF -e "REPRISE_JOB_MARK=$mark" /proc/[0-9]*/environ | sed 's:/environ$::'
}

# Kills the processes of the job until none is left.
end_marked() {
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    found=
    for process in $(marked); do
      kill -s KILL "${process#/proc/}" 2>/dev/null && found=yes
    done
    if [ ! "$found" ]; then return; fi
    sleep 1
  done
}

# Removes what a killed container has left on the node.
tidy() {
  if [ -e "$record/tidy" ]; then sh "$record/tidy"; fi
}

# note REASON [USED]: remembers why the job is being ended. The first reason counts.
note() {
  [ -e "$record/noted" ] || echo "$*" >"$record/noted"
}

# The cluster ends the job: because a server stopped the job, or for a reason of its own.
# shellcheck disable=SC2317 # a trap calls the function
note_end() {
  if [ -e "$record/stop" ]; then note cancelled; else note ended-outside; fi
}

# In a container, notes that the kernel has killed a process of the job at the limit of memory. The job may not have noticed.
note_memory() {
  for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    kills=$(sed -n 's/^oom_kill //p' "$file" 2>/dev/null)
    if [ "${kills:-0}" -gt 0 ]; then note out-of-memory; fi
  done
}

# Asks the job to end, and kills the job if the previous check has asked already.
press() {
  if [ "$asked" ]; then
    kill -s KILL -- "-$job" 2>/dev/null
    end_marked
  else
    kill -s TERM -- "-$job" 2>/dev/null
    # The second that a job has for its own end.
    asked=yes
  fi
}

# The memory of all processes of the job in KiB.
used_memory() {
  for process in $(marked); do
    sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "$process/status" 2>/dev/null
  done | awk '{ sum += $1 } END { print sum + 0 }'
}

# The bytes of the log. The wc of busybox reads the whole file, and a job may print faster than that.
log_size() {
  # shellcheck disable=SC2012 # the size is the fifth word of ls on every system, and the owner is a number
  ls -ln -- "$record/log" | {
    read -r _ _ _ _ size _
    echo "$size"
  }
}

# Looks for a stop, and compares the job with its limits.
check() {
  if [ -e "$record/noted" ]; then
    press
  elif [ -e "$record/stop" ]; then
    note cancelled
    press
  elif [ "$time_limit" -gt 0 ] && [ $(($(date +%s) - started_second)) -ge "$time_limit" ]; then
    note time-limit
    press
  elif [ "$(log_size)" -gt "$output_limit" ]; then
    note output-limit
    press
  elif [ "$memory_limit" -gt 0 ]; then
    used=$(used_memory)
    if [ "$used" -gt "$memory_limit" ]; then
      note out-of-memory "$used"
      asked=yes
      press
    fi
  fi
}

# Checks the job each second. If the supervisor was killed, ends what is left of the job.
watch() {
  trap 'kill "$pause" 2>/dev/null; exit' TERM
  asked=
  while :; do
    sleep 1 &
    pause=$!
    wait "$pause"
    if ! kill -0 "$supervisor" 2>/dev/null; then
      end_marked
      tidy
      exit
    fi
    check
  done
}

# Takes the time since which a changed file counts as made by the job. The job starts once the disk gives a later time to a change.
take_since() {
  if ! [ "$lists_made" ]; then return; fi
  : >"$record/since"
  until [ "$(find "$record/log" -newer "$record/since")" ]; do touch "$record/log"; done
  # The time of the last change of a file is also new if the file was copied with the times of its original.
  if find "$record/log" -cnewer "$record/since" >/dev/null 2>&1; then newer=-cnewer; else newer=-newer; fi
}

# Finds files that the job has changed, and prints size, time of change and path of each file in a line.
changed_files() {
  LC_ALL=C "$1" -type f "$newer" "$record/since" ! -name '*
*' -exec stat -c '%s %Y %n' {} + 2>/dev/null
}

# Adds the digests of the declared outputs to the list of files, as sha256sum prints them. Small files come first.
list_digests() {
  changed_files find_declared | LC_ALL=C sort -n |
    LC_ALL=C awk -v left="$digested_bytes" '{ left -= $1 } left >= 0' >"$record/declared.own"
  if [ -s "$record/declared.own" ]; then
    quoted_paths "$record/declared.own" | LC_ALL=C xargs sha256sum >>"$record/made.own" 2>/dev/null
  fi
  rm -f "$record/declared.own"
}

# Lists the files that the job made, one in a line: size, time of change, path. They are on the disk before the job ends. The names of
# files on a shared disk arrive late on other machines, so the server compares what it reads with the list.
list_made() {
  if ! [ "$lists_made" ]; then return; fi
  changed_files find_made >"$record/made.own"
  made=$(wc -l <"$record/made.own")
  if [ "$made" -eq 0 ]; then return; fi
  unsaved=$(quoted_paths "$record/made.own" | LC_ALL=C xargs sync 2>&1)
  case $unsaved in *'error syncing'*) note output-lost; printf 'reprise: %s\n' "$unsaved" ;; esac
  list_digests
  echo . >>"$record/made.own"
  mv "$record/made.own" "$record/made"
}

# The paths in a list of files, quoted for xargs.
quoted_paths() {
  LC_ALL=C sed -e '/^\.$/d' -e 's/^[0-9]* [0-9]* //' -e 's/[^A-Za-z0-9_./-]/\\&/g' "$1"
}

# Prints a file that an earlier job made and that this node does not see, sees too short, or sees with an older content: the bytes
# seen, the bytes, the path. Contents are read once the sizes of all files are right.
late_file() {
  late=$(late_sizes)
  if [ "$late" ]; then
    echo "$late"
  elif [ "$(sed -n '/^[^ ]*  /{p;q;}' "$record/expected")" ]; then
    stale_file
  fi
}

# The expected files without the lines of digests.
expected_sizes() {
  LC_ALL=C sed '/^[0-9a-f]*  /d' "$record/expected"
}

# Prints a file of the right size and time, with another digest than the expected one.
stale_file() {
  {
    digested_paths | LC_ALL=C xargs stat -c '%s %Y %n' 2>/dev/null
    echo .
    digested_paths | LC_ALL=C xargs sha256sum 2>/dev/null
    echo .
    cat "$record/expected"
  } | LC_ALL=C awk '
    $0 == "." { part += 1; next }
    { path = substr($0, index($0, "./")) }
    part == 0 { size[path] = $1; time[path] = $2; next }
    part == 1 { digest[path] = $1; next }
    length($1) < 64 { expected[path] = $2; next }
    time[path] == expected[path] && (path in digest) && digest[path] != $1 { print size[path], size[path], path; exit }'
}

# The paths of the expected files with a digest, quoted for xargs.
digested_paths() {
  LC_ALL=C sed -n 's/^[0-9a-f]*  //p' "$record/expected" | LC_ALL=C sed 's/[^A-Za-z0-9_./-]/\\&/g'
}

# Prints a file that an earlier job made and that this node does not see, or sees too short.
late_sizes() {
  # Without the listing, the node may remember for a while that it looked for a name in vain.
  expected_sizes | quoted_paths - | sed 's:/[^/]*$::' | sort -u | xargs ls -f >/dev/null 2>&1
  {
    expected_sizes | quoted_paths - | xargs stat -c '%s %Y %n' 2>/dev/null
    echo .
    expected_sizes
  } | LC_ALL=C awk '
    $0 == "." { isExpected = 1; next }
    { path = $0; sub(/^[0-9]+ [0-9]+ /, "", path) }
    !isExpected { size[path] = $1; time[path] = $2; next }
    !(path in size) { print "-", $1, path; exit }
    time[path] < $2 || (time[path] == $2 && size[path] != $1) { print size[path], $1, path; exit }'
}

# Ends a job whose command has not started, with a sentence.
never_start() {
  detail=$1
  started=-
  note not-started
  record_end 126
  exit 126
}

# Waits until this node sees the files that earlier jobs made in the workspace, unless they have been there for long. The server makes
# the file unawaited if it does not see them either: somebody has changed them since.
await_files() {
  if ! [ -s "$record/expected" ] || [ "$started_second" -ge "$awaited_until" ]; then return; fi
  while ! [ -e "$record/unawaited" ]; do
    late=$(late_file)
    if ! [ "$late" ]; then break; fi
    if [ -e "$record/stop" ]; then never_start "The run was stopped."; fi
    waited=$(($(date +%s) - started_second))
    if [ "$waited" -ge "$await_limit" ]; then
      never_start "The node $node does not see ${late#* * ./}, which an earlier job made, after $waited s."
    fi
    echo "$late" >"$record/awaits.own"
    mv "$record/awaits.own" "$record/awaits"
    tell
    sleep 1
  done
  rm -f "$record/awaits"
  started=$(now)
  started_second=$(date +%s)
}

# record_end CODE: writes the end of the job, unless there is one. Both names lead to one file, which has its content already.
record_end() {
  reason=exited
  if [ -e "$record/noted" ]; then read -r reason _ <"$record/noted"; fi
  {
    printf 'reason %s\ncode %s\nstarted %s\nended %s\nmade %s\n' "$reason" "$1" "$started" "$(now)" "$made"
    if [ "$detail" ]; then echo "detail $detail"; fi
    times
    echo .
  } >"$record/end.own"
  ln "$record/end.own" "$record/end" 2>/dev/null
  rm -rf -- "$record/end.own" "$record/secrets"
  tell
}

# Starts the command in a session of its own, supervises it, and leaves nothing of the job on this node.
run() {
  setsid bash "$record/start" </dev/null >>"$record/log" 2>&1 &
  job=$!
  supervisor=$$
  watch </dev/null >/dev/null 2>&1 &
  watcher=$!
  trap 'note_end; kill -s TERM -- "-$job" 2>/dev/null' TERM
  while :; do
    wait "$job"
    code=$?
    if ! kill -0 "$job" 2>/dev/null; then break; fi
  done
  kill "$watcher" 2>/dev/null
  wait "$watcher" 2>/dev/null
  kill -s KILL -- "-$job" 2>/dev/null
  end_marked
  tidy >/dev/null 2>&1
  if [ "$in_image" ]; then note_memory; fi
  list_made
  record_end "$code"
  exit "$code"
}

umask "$mask"
node=${node:-$(uname -n)}
started=$(now)
started_second=$(date +%s)
made=0
told=0
detail=
claim
: >"$record/log"
if ! cd -- "$workspace" 2>/dev/null; then
  echo "reprise: The job cannot start in $workspace on the node $node: the folder must be mounted there, at the same path." >"$record/log"
  record_end 126
  exit 126
fi
await_files
take_since
run
