#!/usr/bin/env bash
# Installs the clients where they are not yet, and drives them: what `npm run conformance` does.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
environments="${XDG_CACHE_HOME:-$HOME/.cache}/reprise-conformance"
bash "$here/install.sh" "$environments"
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/run.py" "$@" "$environments"
