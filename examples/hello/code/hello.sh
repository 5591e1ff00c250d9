# hello.sh GREETING FILE: one greeting for each line of the file.
while read -r name; do
  echo "$1, $name!"
done <"$2"
