#!/usr/bin/env bash
# Starts and ends a real Slurm on this host, for tests. Root is required.
#   slurm-fixture.sh up FOLDER PORT PORT PORT   starts munged, slurmctld and two nodes; again: those that have ended
#   slurm-fixture.sh down FOLDER                ends the daemons and what jobs have left, and removes the folder
#   slurm-fixture.sh kill FOLDER NAME           kills one daemon: munged, slurmctld, slurmd-n1, slurmd-n2
# All files and sockets are below FOLDER. A client sets SLURM_CONF to FOLDER/slurm.conf.
set -euo pipefail
action=$1 folder=$2
PATH=$PATH:/usr/sbin:/sbin
export SLURM_CONF=$folder/slurm.conf

# True if the process of a pid file is the given program. A zombie has ended.
is_alive() {
  local pid
  pid=$(cat "$folder/run/$1.pid" 2> /dev/null) && [ -n "$pid" ] &&
    [ "$(cat "/proc/$pid/comm" 2> /dev/null)" = "${1%%-*}" ] && ! grep -q '^State:.*Z' "/proc/$pid/status"
}

# await WHAT COMMAND…: repeats the command for 30 seconds, until it succeeds.
await() {
  local what=$1 tries
  shift
  for ((tries = 0; tries < 600; tries++)); do
    if "$@" > /dev/null 2>&1; then return; fi
    sleep 0.05
  done
  echo "slurm-fixture.sh: $what did not come up. See $folder/log." >&2
  exit 1
}

write_configuration() {
  local host
  host=$(hostname -s)
  cat > "$folder/slurm.conf" << CONF
ClusterName=reprise-test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$1
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/socket/munge
CryptoType=crypto/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd-%n.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=50
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout=6
MinJobAge=2
KillWait=3
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$2 CPUs=16 RealMemory=4000 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$3 CPUs=16 RealMemory=4000 State=UNKNOWN
PartitionName=main Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP
PartitionName=short Nodes=n[1-2] MaxTime=10 State=UP
CONF
  # Newer versions insist on control groups unless this file says otherwise.
  if [[ $(slurmctld -V) != *" 22."* ]]; then echo "CgroupPlugin=disabled" > "$folder/cgroup.conf"; fi
}

start_munged() {
  is_alive munged && return
  [ -s "$folder/munge/key" ] || head -c 1024 /dev/urandom > "$folder/munge/key"
  chmod 600 "$folder/munge/key"
  rm -f "$folder/socket/munge" "$folder/socket/munge.lock"
  munged --force --key-file="$folder/munge/key" --socket="$folder/socket/munge" --pid-file="$folder/run/munged.pid" \
    --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" --num-threads=2
}

all_nodes_are_ready() {
  [ "$(sinfo -h -N -p main -t idle,mixed,allocated -o %N | sort -u | wc -l)" = 2 ]
}

up() {
  local node
  mkdir -p "$folder"/{munge,socket,state,log,run,spool.n1,spool.n2}
  chmod 700 "$folder/munge"
  # munged insists that everybody may reach its socket.
  chmod 755 "$folder" "$folder/socket"
  [ -s "$folder/slurm.conf" ] || write_configuration "$@"
  start_munged
  is_alive slurmctld || slurmctld -f "$folder/slurm.conf"
  for node in n1 n2; do
    is_alive "slurmd-$node" || slurmd -f "$folder/slurm.conf" -N "$node"
  done
  await slurmctld scontrol ping
  await "every node" all_nodes_are_ready
}

kill_daemon() {
  local pid
  is_alive "$1" || return 0
  pid=$(cat "$folder/run/$1.pid")
  kill -9 "$pid"
  while is_alive "$1"; do sleep 0.05; done
}

down() {
  local process variables
  # The controller first: it would start waiting jobs.
  for process in slurmctld slurmd-n1 slurmd-n2 munged; do kill_daemon "$process"; done
  # A slurmd that ends leaves its slurmstepd, and a job of linuxproc may have left its tree. Both name the folder.
  for process in /proc/[0-9]*; do
    [ "${process#/proc/}" != $$ ] || continue
    # The test itself has the variable of the configuration too.
    variables=$({ tr '\0' '\n' < "$process/environ"; } 2> /dev/null) || continue
    grep -qxF "SLURM_CONF=$folder/slurm.conf" <<< "$variables" || continue
    if grep -q '^SLURM_JOB_ID=' <<< "$variables" || [ "$(cat "$process/comm" 2> /dev/null)" = slurmstepd ]; then
      kill -9 "${process#/proc/}" 2> /dev/null || true
    fi
  done
  rm -rf -- "$folder"
}

case $action in
  up) up "${@:3}" ;;
  down) down ;;
  kill) kill_daemon "$3" ;;
  *) sed -n '2,7p' "$0" >&2 && exit 2 ;;
esac
