#!/usr/bin/env bash
# Stands in for the commands of HTCondor in tests, under the names of the commands. Jobs are processes of this machine. The output has the form
# that HTCondor 23.9.6 printed. The folder `state` beside the commands controls the pool:
#   state/away        the schedd does not answer
#   state/hold        new jobs are held, with this reason, until condor_release
#   state/lose        the next submission is carried out and reports an error
set -euo pipefail
state=${0%/*}/state
program=${0##*/}

if [ -e "$state/away" ]; then
  printf '\nERROR: Failed to connect to local queue manager\nSECMAN:2007:Failed to end classad message.\n' >&2
  exit 1
fi

# The value of a line of a job's description.
described() {
  sed -n "s/^$2 = //p" "$state/$1/submit"
}

begin() {
  local arguments command
  arguments=$(described "$1" arguments)
  # Without the quotes of HTCondor around the command of `sh -c`.
  command=${arguments#'"-c '\'}
  command=${command%\'\"}
  echo 2 > "$state/$1/status"
  # shellcheck disable=SC2016 # the inner shell has these variables
  setsid bash -c '
    env -i "PATH=$PATH" BATCH_SYSTEM=HTCondor "HTCONDOR_JOB_ID=$2.0" sh -c "$3"
    echo 4 > "$1/$2/status"
  ' begin "$state" "$1" "${command//"''"/\'}" < /dev/null > /dev/null 2>&1 &
}

submit() {
  local id=1
  until mkdir "$state/$id" 2> /dev/null; do id=$((id + 1)); done
  cp "${*: -1}" "$state/$id/submit"
  if [ -e "$state/hold" ]; then
    echo 5 > "$state/$id/status"
  else
    begin "$id"
  fi
  if [ -e "$state/lose" ]; then
    rm "$state/lose"
    printf '\nERROR: Failed to connect to local queue manager\n' >&2
    exit 1
  fi
  echo "$id.0 - $id.0"
}

# Prints the jobs whose status matches a pattern, as `condor_q -json` does.
list() {
  local folder id status before='['
  for folder in "$state"/[0-9]*; do
    [ -e "$folder/status" ] || continue
    id=${folder##*/} status=$(cat "$folder/status")
    # shellcheck disable=SC2053 # a pattern
    [[ $status == $1 ]] || continue
    printf '%s\n{\n  "ClusterId": %s,\n  "GlobalJobId": "stand-in#%s.0#1795789404",\n  "JobBatchName": "%s",\n' "$before" "$id" "$id" "$(described "$id" batch_name)"
    if [ "$status" = 5 ]; then printf '  "HoldReason": "%s",\n' "$(cat "$state/hold")"; fi
    if [ "$status" = 3 ]; then printf '  "RemoveReason": "via condor_rm (by user ann)",\n'; fi
    printf '  "JobStatus": %s,\n  "NumJobStarts": 0,\n  "ProcId": 0\n}\n' "$status"
    before=','
  done
  if [ "$before" = , ]; then echo ']'; fi
}

remove() {
  local id
  for id in "$@"; do
    [[ $(cat "$state/${id%.*}/status") == [15] ]] && echo 3 > "$state/${id%.*}/status"
  done
}

case $program:${1:-} in
  condor_submit:*) submit "$@" ;;
  condor_q:-totals) printf '\n\n-- Schedd: stand-in : <127.0.0.1:33341?... @ 11/27/26 14:38:57\nTotal for query: 0 jobs\n' ;;
  condor_q:*) list '[1257]' ;;
  condor_history:*) list '[34]' ;;
  condor_status:*) echo "localhost $(uname -n)" ;;
  condor_release:*) begin "$1" ;;
  condor_rm:*) remove "$@" ;;
esac
