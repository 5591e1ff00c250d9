# Runs a job in a container of podman, then hands the files that the job has made over to the server.
#   container-job.sh WORKSPACE USER PROGRAM ARGUMENT…
# It ends with the exit code of the container. The signals of its process group reach podman, which passes them on. An empty
# USER hands nothing over: without root all files belong to the server's user already.
workspace=$1 user=$2 asked=
trap 'asked=129' HUP
trap 'asked=130' INT
trap 'asked=143' TERM
# This shell would print "Terminated" into the job's log if the signal ends podman, because it is trapped here.
exec 3>&2 2>/dev/null
"${@:3}" 2>&3 3>&-
code=$?
# A podman that receives SIGTERM before its container runs ends with 0, and with 1 after SIGINT: no command has run, and
# the container may be left.
if [ "$asked" ] && ((code < 2)); then code=$asked; fi
# The user of the container, who has no name here, owns nothing but what the job has made.
if [ "$user" ]; then
  find "$workspace" -xdev -user "$user" -exec chown -h -- "$EUID:${GROUPS[0]}" {} +
fi
exit "$code"
