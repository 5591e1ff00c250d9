#!/usr/bin/env bash
# Makes a virtual environment for each of REANA's clients, and again when what it is to hold has changed: install.sh FOLDER
# Everything is pinned in requirements/, so that pip has nothing to work out, which takes it minutes. The two older clients
# import pkg_resources, which newer setuptools no longer have. 0.95.0a5 needs reana-commons 0.95.0a21: with the newest one, which
# pip would choose, it works with no server, not even REANA's.
set -euo pipefail
folder=$1
requirements="$(cd "$(dirname "$0")" && pwd)/requirements"

make() { # VERSION
  local target="$folder/$1" wanted="$requirements/$1.txt"
  cmp --silent "$wanted" "$target/installed" && return
  rm -rf "$target"
  python3 -m venv "$target"
  "$target/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$wanted"
  cp "$wanted" "$target/installed"
}

mkdir -p "$folder"
installations=()
for version in 0.9.6 0.95.0a5 0.95.0a6; do
  make "$version" &
  installations+=("$!")
done
for installation in "${installations[@]}"; do wait "$installation"; done
