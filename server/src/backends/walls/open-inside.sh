# Runs in the sandbox before the command of a job with files for its input or output, and opens them.
#   bash -p -c TEXT bash WORKSPACE STDIN STDOUT STDERR COMMAND…
# TEXT is open-files.sh and this. An empty argument stands for no file.
exec 6>&2
# shellcheck disable=SC2034 # open-files.sh reads them
input=$2 output=$3 errors=$4 start=$PWD
cd -- "$1" || exit 126
open_files
cd -- "$start" || exit 126
unset OLDPWD
shift 4
exec -- "$@" 6>&-
