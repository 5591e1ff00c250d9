# A hook of the runtime of containers: fails if a container is shown anything but the parts of the workspace that it was to
# be shown. The container is made, and its command has not started.
#   check-binds.sh SOURCE…
# The state of the container is the input.
. "${0%/*}/../local/slots/bind-sources.sh"
IFS= read -r -d '' state
pid=${state#*'"pid"'} pid=${pid#"${pid%%[0-9]*}"} pid=${pid%%[!0-9]*}
mapfile -t mounts <"/proc/$pid/mountinfo"
shows_all "$@" || {
  echo "reprise: The job was not started, because a part of its workspace was replaced by a link at that moment." >&2
  exit 1
}
