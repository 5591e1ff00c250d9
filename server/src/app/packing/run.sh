#!/bin/sh
# Runs the packed workflow again and compares its outputs with the recorded checksums: sh run.sh
# It needs an installed reprise or Node 22.18, and podman or docker if steps run in images. No network is needed.
set -eu
unset CDPATH
cd -- "$(dirname -- "$0")"
pack=ro-crate-pack

fail() {
  echo "run.sh: $*" >&2
  exit 1
}

if command -v reprise >/dev/null 2>&1; then
  set -- reprise
elif [ ! -f "$pack/reprise/bin/reprise.js" ]; then
  fail "reprise is not installed, and this pack does not hold it. Install it and try again: npm install -g reprise"
elif command -v node >/dev/null 2>&1; then
  set -- node "$pack/reprise/bin/reprise.js"
else
  fail "neither reprise nor Node is installed. Install Node 22.18 or newer and try again."
fi

# Loads the packed images, unless they are here. They have no names in the archive, so no image of this machine loses its name.
load_images() {
  missing=
  while read -r id _; do
    "$containers" image inspect "$id" >/dev/null 2>&1 || missing=yes
  done <"$pack/images.txt"
  [ -z "$missing" ] || "$containers" load --input "$pack/images.tar"
  export REPRISE_PACKED_IMAGES="$PWD/$pack/images.txt"
}

mkdir -p again
containers=none
if [ -f "$pack/images.txt" ]; then
  for containers in podman docker none; do
    ! command -v "$containers" >/dev/null 2>&1 || break
  done
  [ "$containers" != none ] || fail "the steps ran in images. Install podman or docker and try again."
  load_images
fi

rm -rf again/outputs
mkdir again/outputs
export REPRISE_PULL_IMAGES=never
"$@" run . --data again/data --output again/outputs --containers "$containers" --name again

[ -s "$pack/outputs.sha256" ] || fail "the run has ended. No output was recorded, so nothing can be compared."
sums=sha256sum
command -v sha256sum >/dev/null 2>&1 || sums="shasum -a 256"
cd again/outputs
if $sums -c "../../$pack/outputs.sha256" >../compared.txt; then
  echo "All outputs are identical to the recorded ones: $(wc -l <../compared.txt | tr -d ' ') compared."
else
  grep -v ': OK$' ../compared.txt >&2 || :
  fail "these outputs differ from the recorded ones. The new outputs are in again/outputs."
fi
