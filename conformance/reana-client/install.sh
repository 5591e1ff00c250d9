#!/usr/bin/env bash
# Makes a virtual environment for each of REANA's clients, once: install.sh FOLDER
# Their own packages and no others; the stable one imports pkg_resources, which newer setuptools no longer have.
set -euo pipefail
folder=$1

make() { # NAME REQUIREMENT…
  local target="$folder/$1"
  [ -e "$target/installed" ] && return
  rm -rf "$target"
  python3 -m venv "$target"
  "$target/bin/pip" install --quiet --disable-pip-version-check "${@:2}"
  touch "$target/installed"
}

mkdir -p "$folder"
make 0.9.6 reana-client==0.9.6 'setuptools<81' &
first=$!
make 0.95.0a6 reana-client==0.95.0a6 'setuptools<81'
wait "$first"
