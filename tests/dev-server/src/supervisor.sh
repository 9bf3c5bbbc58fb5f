# Runs one mongod for as long as the process that holds the other end of this script's standard
# input lives: sh -c SCRIPT supervisor FOLDER MONGOD ARGUMENT...
#
# The end of the input is the one sign of a parent's death that needs nothing of the parent: the
# kernel closes the pipe after a return from main, an exit without destructors and a SIGKILL alike.

# Only the end of the input or of mongod ends this script, or the folder would stay behind. A
# parent that is gone reads no output either, and that must not stop the clean-up.
trap '' HUP INT TERM PIPE

folder=$1
shift

# A background command gets /dev/null for its input, so the watcher needs the pipe under another
# number. Complaints of this script belong in the parent's report.
exec 3<&0 0</dev/null 2>&1

# Made here rather than by the parent: what this script makes, it also removes.
mkdir -m 700 "$folder" || exit 1

# One watcher outlives every server that is started again. A word on the pipe kills the server, which then starts again on its
# data; the end of the pipe kills it for good. `over` is written before the number of the server is read, and the number before
# `over` is looked for, so that no server starts unseen.
(
    while read -r _; do
        : >"$folder/again"
        kill -9 "$(cat "$folder/number")"
    done
    : >"$folder/over"
    kill -9 "$(cat "$folder/number")"
) <&3 >/dev/null 2>&1 &
watcher=$!
exec 3<&-

while :; do
    "$@" --dbpath "$folder" >>"$folder/mongod.log" 2>&1 &
    server=$!
    echo "$server" >"$folder/number"
    if [ -e "$folder/over" ]; then
        kill -9 "$server"
    fi
    # A shell may have a word to say about a job that was killed; the log says what matters.
    wait "$server" 2>/dev/null
    status=$?
    # 137 is what a shell makes of SIGKILL.
    if [ -e "$folder/over" ] || [ ! -e "$folder/again" ] || [ "$status" -ne 137 ]; then
        break
    fi
done
kill -9 "$watcher" 2>/dev/null

# A port that another process bound first makes mongod exit with 48. One that it merely listened on
# first, after both had bound it, makes mongod abort; that is no other matter to the parent.
if grep -q 'Address already in use' "$folder/mongod.log"; then
    status=48
fi

# Far below the capacity of a pipe: a parent that does not read it blocks nothing.
tail -c 8192 "$folder/mongod.log"
rm -rf "$folder"
exit "$status"
