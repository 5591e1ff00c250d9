#!/usr/bin/env bash
# Makes a virtual environment for each client and one with JupyterLab, or only those that are named, and makes it again when its
# requirements change: install.sh FOLDER [NAME…]
# All packages are pinned, so that pip has no versions to work out, which takes it minutes. The two older clients of REANA
# import pkg_resources, which newer setuptools no longer have. 0.95.0a5 needs reana-commons 0.95.0a21: with the newest one, which
# pip would choose, it works with no server, not even REANA's.
set -euo pipefail
folder=$1
only=("${@:2}")
here="$(cd "$(dirname "$0")" && pwd)"

make() { # NAME REQUIREMENTS
  local target="$folder/$1" wanted="$here/$2"
  [ "${#only[@]}" -eq 0 ] || [[ " ${only[*]} " == *" $1 "* ]] || return 0
  cmp --silent "$wanted" "$target/installed" && return
  rm -rf "$target"
  python3 -m venv "$target"
  "$target/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$wanted"
  cp "$wanted" "$target/installed"
}

mkdir -p "$folder"
# Tests of several processes may ask for the same environment. The one that comes second finds it made.
exec 9> "$folder/lock"
flock 9
make generated-client generated-client/requirements.txt &
installations=("$!")
make jupyter ../server/src/app/environments/jupyter.txt &
installations+=("$!")
make fuzz fuzz/requirements.txt &
installations+=("$!")
make cwl cwl/requirements.txt &
installations+=("$!")
make yadage yadage/requirements.txt &
installations+=("$!")
make crates crates/requirements.txt &
installations+=("$!")
make dask dask/requirements.txt &
installations+=("$!")
make s3 s3/requirements.txt &
installations+=("$!")
# The server under test plans Snakemake workflows with them. REANA's engine has the older one.
make snakemake ../server/src/app/environments/snakemake.txt &
installations+=("$!")
make snakemake-8.27.1 snakemake-8.27.1.txt &
installations+=("$!")
for version in 0.9.6 0.95.0a5 0.95.0a6; do
  make "$version" "reana-client/requirements/$version.txt" &
  installations+=("$!")
done
# Only the nightly tests of the import ask for them, by name.
for version in 0.9.4 0.95.0a10; do
  [[ " ${only[*]} " == *" reana-db-$version "* ]] || continue
  make "reana-db-$version" "reana-db/requirements/$version.txt" &
  installations+=("$!")
done
# So do the nightly tests of sign-in.
if [[ " ${only[*]} " == *" openid "* ]]; then
  make openid openid/requirements.txt &
  installations+=("$!")
fi
for installation in "${installations[@]}"; do wait "$installation"; done
