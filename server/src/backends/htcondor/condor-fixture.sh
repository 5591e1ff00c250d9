#!/usr/bin/env bash
# Starts and ends a real pool of HTCondor on this host, for tests: its user is the user of all daemons and jobs, and may not be root.
#   condor-fixture.sh up FOLDER PORT   starts the pool; again: the daemons that have ended
#   condor-fixture.sh down FOLDER      ends the daemons and their jobs, and removes the folder
#   condor-fixture.sh kill FOLDER PROGRAM   kills the processes of a program, such as condor_schedd
# All files and sockets are below FOLDER. A client sets CONDOR_CONFIG to FOLDER/condor_config.
set -euo pipefail
action=$1 folder=$2
export CONDOR_CONFIG=$folder/condor_config

write_configuration() {
  cat > "$CONDOR_CONFIG" << CONF
LOCAL_DIR = $folder
LOCAL_CONFIG_DIR =
LOCAL_CONFIG_FILE =
RELEASE_DIR = /usr
LIB = /usr/lib/condor
LIBEXEC = /usr/libexec/condor
MACHINE_RESOURCE_INVENTORY_GPUS =
LOG = $folder/log
SPOOL = $folder/spool
EXECUTE = $folder/execute
LOCK = $folder/lock
RUN = $folder/lock
CONDOR_HOST = 127.0.0.1
FULL_HOSTNAME = $(hostname -s)
COLLECTOR_HOST = 127.0.0.1:$1
NETWORK_INTERFACE = 127.0.0.1
BIND_ALL_INTERFACES = False
ENABLE_IPV6 = False
USE_SHARED_PORT = False
DAEMON_LIST = MASTER COLLECTOR NEGOTIATOR SCHEDD STARTD
SCHEDD_NAME = reprise-test@
UID_DOMAIN = test
FILESYSTEM_DOMAIN = test
SEC_DEFAULT_AUTHENTICATION = OPTIONAL
SEC_DEFAULT_AUTHENTICATION_METHODS = FS, CLAIMTOBE
SEC_CLIENT_AUTHENTICATION_METHODS = FS, CLAIMTOBE
ALLOW_READ = *
ALLOW_WRITE = *
ALLOW_DAEMON = *
ALLOW_NEGOTIATOR = *
ALLOW_ADMINISTRATOR = *
NUM_CPUS = 16
MEMORY = 4000
NUM_SLOTS_TYPE_1 = 1
SLOT_TYPE_1 = 100%
SLOT_TYPE_1_PARTITIONABLE = True
NEGOTIATOR_INTERVAL = 1
NEGOTIATOR_MIN_INTERVAL = 1
NEGOTIATOR_CYCLE_DELAY = 1
SCHEDD_INTERVAL = 1
SCHEDD_MIN_INTERVAL = 1
UPDATE_INTERVAL = 5
MASTER_BACKOFF_CONSTANT = 1
MASTER_BACKOFF_CEILING = 1
BASE_CGROUP =
# It would change settings of the whole machine, if root started the pool.
LINUX_KERNEL_TUNING_SCRIPT =
# Jobs would have a /tmp of their own.
MOUNT_UNDER_SCRATCH =
START = True
SUSPEND = False
PREEMPT = False
KILL = False
CONF
}

pool_is_ready() {
  condor_status -af State | grep -q Unclaimed && condor_q -totals
}

is_alive() {
  local pid
  pid=$(cat "$folder/lock/master.pid" 2> /dev/null) && [ "$(cat "/proc/$pid/comm" 2> /dev/null)" = condor_master ] &&
    ! grep -q '^State:.*Z' "/proc/$pid/status"
}

up() {
  local tries
  mkdir -p "$folder"/{log,spool,execute,lock}
  [ -s "$CONDOR_CONFIG" ] || write_configuration "$@"
  is_alive || condor_master -pidfile "$folder/lock/master.pid"
  for ((tries = 0; tries < 600; tries++)); do
    if pool_is_ready > /dev/null 2>&1; then return; fi
    sleep 0.1
  done
  echo "condor-fixture.sh: the pool did not come up. See $folder/log." >&2
  exit 1
}

# The processes of a program that belong to this pool.
processes_of() {
  local process
  for process in /proc/[0-9]*; do
    [ "$(cat "$process/comm" 2> /dev/null)" = "$1" ] || continue
    if { tr '\0' '\n' < "$process/environ"; } 2> /dev/null | grep -qxF "CONDOR_CONFIG=$CONDOR_CONFIG"; then
      echo "${process#/proc/}"
    fi
  done
}

kill_program() {
  local pid
  for pid in $(processes_of "$1"); do kill -9 "$pid"; done
}

down() {
  local program
  # The master first: it would start the others again.
  for program in condor_master condor_schedd condor_shadow condor_startd condor_starter condor_negotiator condor_collector condor_procd; do
    kill_program "$program"
  done
  rm -rf -- "$folder"
}

case $action in
  up) up "${@:3}" ;;
  down) down ;;
  kill) kill_program "$3" ;;
  *) sed -n '2,7p' "$0" >&2 && exit 2 ;;
esac
