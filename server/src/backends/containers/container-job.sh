# Runs a job in a container of podman, then another program.
#   container-job.sh COUNT WORD… PROGRAM ARGUMENT…
# The other program has COUNT words; there is none if that is 0. The exit code is that of the container. The signals of
# the process group reach podman, which passes them on.
afterwards=("${@:2:$1}") asked=
trap 'asked=129' HUP
trap 'asked=130' INT
trap 'asked=143' TERM
# This shell would print "Terminated" into the job's log if the signal ends podman, because it is trapped here.
{
  "${@:2 + $1}" 2>&3 3>&-
  code=$?
} 3>&2 2>/dev/null
# A podman that receives SIGTERM before its container runs ends with 0, and with 1 after SIGINT: no command has run, and
# the container may be left.
if [ "$asked" ] && ((code < 2)); then code=$asked; fi
# The other program may fail for files that another job removes at that moment.
if ((${#afterwards[@]})); then "${afterwards[@]}" 2>/dev/null; fi
exit "$code"
