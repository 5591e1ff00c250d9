#!/usr/bin/env bash
# Installs the clients that are missing and drives them: run.sh [generated-client|fuzz|reana-client|cwl|yadage] [--write]
# Runs all parts unless one is named. Each part ends with a line that counts its checks; the last line adds them up.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
environments="${XDG_CACHE_HOME:-$HOME/.cache}/reprise-conformance"
parts=(generated-client fuzz reana-client cwl yadage)
case "${1:-}" in generated-client | fuzz | reana-client | cwl | yadage) parts=("$1") && shift ;; esac

bash "$here/install.sh" "$environments"
export REPRISE_JUPYTER="$environments/jupyter/bin/jupyter-lab"
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$here"
passed=0 failed=0
for part in "${parts[@]}"; do
  python=python3
  # The suite of CWL is run by a package of its own environment, and its tests run `python`.
  case "$part" in cwl | yadage) python="$environments/$part/bin/python" ;; esac
  report="$("$python" "$here/$part/run.py" "$environments" "$@" 2>&1)" || true
  printf '%s:\n%s\n\n' "$part" "$report"
  if [[ "${report##*$'\n'}" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
  else
    failed=$((failed + 1)) # the part broke before it could count
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
