# Runs a job in a container of a runtime that is root's, then hands the files that the job has made over to the server.
#   container-job.sh WORKSPACE USER PROGRAM ARGUMENT…
# It ends with the exit code of the container. The signals of its process group reach the runtime, which passes them on.
workspace=$1 user=$2
trap : HUP INT TERM
"${@:3}"
code=$?
# The user of the container, who has no name here, owns nothing but what the job has made.
find "$workspace" -xdev -user "$user" -exec chown -h -- "$EUID:${GROUPS[0]}" {} + 2>/dev/null
exit "$code"
