# Compares what a job is shown with what it was to be shown, for slots (slot.sh) and for the hook of container
# runtimes (check-binds.sh). Programs that bind a folder look for it by its path: a process that replaces a part of the path with a
# link at that moment would show the job what the link leads to. The kernel says what was bound.

# What the job's log says if it does not start for that reason. explain-end.ts finds it in what a runtime prints.
replaced="reprise: The job was not started, because a part of its workspace was replaced by a link at that moment."

# shows_all SOURCE…
# True if `mounts`, the lines of a process's mountinfo, have each source (bind-sources.ts) as often as it is given.
shows_all() {
  local source shown="${mounts[*]}"
  for source; do
    [[ $shown == *" $source "* ]] || return
    shown=${shown/" $source "/ }
  done
}
