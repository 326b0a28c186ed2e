# This server for the scripts of this folder, which source it from the project's folder, after apache-pulsar.sh. POSIX sh.

our_binary=16651
our_http=18081

start_sluice() { # folder for data and log, configuration, token for HTTP or '': sets our_process when it is ready
  ./sluice standalone --data "$1/data" --config "$2" >"$1/log" 2>&1 &
  our_process=$!
  await_http "Sluice" "$our_process" "$1/log" "http://127.0.0.1:$our_http" "$3"
}
