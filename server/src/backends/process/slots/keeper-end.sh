# Functions by which the keeper (keeper.sh) ends jobs.

# The claims of the jobs that were ended, each between spaces.
ending=' '

# end_job REASON [USED [exact]]
# Marks and ends the job whose record was read last, once.
end_job() {
  case $ending in *" $claim "*) return ;; esac
  ending="$ending$claim "
  note marked "$@"
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

# end_by_force SLOT CLAIM REASON
# Sends SIGTERM, then SIGKILL, then kills what left the process group. A job over its memory or process limit
# is killed at once: it could grow further.
end_by_force() {
  local mark=REPRISE_JOB_MARK=$host/$id group_to_ask round files
  case $3 in
    out-of-memory | process-limit) record_time "$quick_max" ;;
    *)
      record_time "$measured_max"
      set_group_to_ask
      kill -TERM -- "-$group_to_ask" 2>/dev/null
      sleep 2
      is_running "$1" "$2" && record_time "$measured_max"
      ;;
  esac
  is_running "$1" "$2" && kill -KILL -- "-$group" 2>/dev/null
  # Processes that are being killed may start others.
  for ((round = 0; round < kill_rounds_max; round++)); do
    files=($(grep -lszx "$mark" /proc/[0-9]*/environ))
    if [ ${#files[@]} = 0 ]; then return; fi
    files=("${files[@]#/proc/}")
    kill -KILL "${files[@]%/environ}" 2>/dev/null
  done
}

# Sets the process group that is asked to end. bwrap would die of the signal and take the command along: in the sandbox
# the command is in a session of its own, which bwrap's child leads. ask-to-end.ts has the same rule.
set_group_to_ask() {
  local child= stat
  group_to_ask=$group
  read -r stat 2>/dev/null <"/proc/$group/stat" && [[ $stat == *" (bwrap) "* ]] || return
  read -r child _ 2>/dev/null <"/proc/$group/task/$group/children" # without a newline at its end: the exit code says nothing
  [ "$child" ] && read -r stat 2>/dev/null <"/proc/$child/stat" || return
  stat=(${stat##*) })
  if [ "${stat[3]}" = "$child" ]; then group_to_ask=$child; fi
}

# Ends a job whose container podman's monitor has not made in time: if the monitor's helper is killed, the monitor waits for
# ever, and podman for the monitor. Podman itself may take long before it starts the monitor, as for a large image.
end_if_not_made() {
  local started file pid stat now
  [ -f "$root/$id/container" ] && ! [ -s "$root/$id/container.pid" ] && ((age >= container_seconds * 100)) || return
  read_line started "$root/$id/container"
  [[ $started == *'"name":"podman"'* ]] || return
  # shellcheck disable=SC2013 # each word is a path in /proc
  for file in $(grep -lszE "^reprise-[0-9a-f]+-$id\$" /proc/[0-9]*/cmdline); do
    pid=${file#/proc/} pid=${pid%/cmdline}
    read -r stat 2>/dev/null <"/proc/$pid/stat" || continue
    read -r now _ </proc/uptime
    stat=(${stat##*) })
    if ((${now/./} - stat[19] >= container_seconds * 100)); then
      # The search took a while. Since then the container may have been made, and its command may run.
      [ -s "$root/$id/container.pid" ] || end_job not-started
      return
    fi
  done
}

# Number of successive checks that find a slot stopped before it is killed, if its job has ended: something prevents it
# from recording the end, and the job is then lost. A slot without a job is killed too: it would never start another.
stopped_looks_max=10
# Of each slot: how many checks have found it stopped.
stopped=()

end_stuck_slot() {
  if [ "$slot_state" != T ]; then
    unset "stopped[slot]"
  elif ((++stopped[slot] >= stopped_looks_max)) && has_ended "$group"; then
    kill -KILL "$slot" 2>/dev/null
  fi
}

# has_ended PID
# True if there is no such process, or it is a zombie.
has_ended() {
  local stat
  [ "$1" ] && read -r stat 2>/dev/null <"/proc/$1/stat" || return 0
  [[ $stat == *") Z "* ]]
}
