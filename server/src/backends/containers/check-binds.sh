# The hook of a container runtime: fails if a part of the workspace is missing from what the container shows. It runs when
# the container is made, before its command starts.
#   check-binds.sh SOURCE…
# Its input is the state of the container as JSON, which has the pid of the container's first process.
# shellcheck source=../process/slots/bind-sources.sh
. "${0%/*}/../process/slots/bind-sources.sh"
IFS= read -r -d '' state
pid=${state#*'"pid"'} pid=${pid#"${pid%%[0-9]*}"} pid=${pid%%[!0-9]*}
mapfile -t mounts <"/proc/$pid/mountinfo"
shows_all "$@" || {
  echo "$replaced" >&2
  exit 1
}
