# Functions by which a slot (slot.sh) keeps a sandbox from starting its command until it shows the right files.

# shellcheck source=bind-sources.sh
. "${BASH_SOURCE%/*}/bind-sources.sh"

# Opens the gate at which bwrap waits once it has made the sandbox: bwrap writes the pid of the sandbox's first process to
# descriptor 21, whose other end is 20, and starts the command when it can read from 22. It never reads an end there,
# even if this slot is killed, because 22 is open for writing in bwrap too.
open_gate() {
  open_pipe
  exec 20<&7 21>/proc/self/fd/7
  open_pipe
  exec 22<>/proc/self/fd/7
}

# Lets the command start if the sandbox shows what it should. Otherwise ends the sandbox and fails. If bwrap cannot make
# the sandbox, it says so itself.
keep_gate() {
  local line pid= mounts is_right=yes
  exec 21>&-
  while IFS= read -r -u 20 line; do
    case $line in *'"child-pid"'*) pid=${line//[!0-9]/} && break ;; esac
  done
  if [ "$pid" ] && wait_until_made "$pid"; then
    if shows_all "${sources[@]}"; then
      echo >&22
    else
      is_right=
      kill -KILL "$pid" 2>/dev/null
      echo "$replaced" >&5
    fi
  fi
  exec 20<&- 22>&-
  [ "$is_right" ]
}

# Waits until the sandbox is made, and sets `mounts` to what it shows: its root, which bwrap calls /newroot, is in place
# then. A sandbox begins with the mounts of this process, whose own root may be another sandbox's. Fails if it has ended.
wait_until_made() {
  while kill -0 "$1" 2>/dev/null; do
    mapfile -t mounts 2>/dev/null <"/proc/$1/mountinfo"
    case "${mounts[*]}" in
      *" $root_device /newroot / "*) ;;
      *" /newroot / "*) return ;;
    esac
    read -r -t 0.0005 -u 22 _
  done
  return 1
}
