# Apache Pulsar standalone for the scripts of this folder, which source it from the project's folder. Fetches it from Maven Central once
# (100 MB). POSIX sh.

pulsar_binary=16650
pulsar_http=18080

fetch_pulsar() { # version, pom: sets pulsar_jars
  pulsar_jars=${XDG_CACHE_HOME:-$HOME/.cache}/sluice/pulsar/$1
  grep -q "<version>$1</version>" "$2" || { echo "$2 is for another version than $1" >&2; exit 1; }
  if [ ! -d "$pulsar_jars" ]; then
    echo "fetching Apache Pulsar $1" >&2
    # Fetched aside and moved, so that a download that was cut off is none; each to a folder of its own, as two may fetch at a time.
    mkdir -p "${pulsar_jars%/*}"
    pulsar_partial=$(mktemp -d "$pulsar_jars.XXXXXX")
    cp "$2" "$pulsar_partial/pom.xml"
    ./mvnw -q -B -f "$pulsar_partial/pom.xml" dependency:copy-dependencies -DincludeScope=runtime \
      -DoutputDirectory="$pulsar_partial" || { rm -rf "$pulsar_partial"; exit 1; }
    if [ -d "$pulsar_jars" ]; then rm -rf "$pulsar_partial"; else mv "$pulsar_partial" "$pulsar_jars"; fi
  fi
}

settings_of_pulsar() { # prints them; scripts add their own
  cat <<CONF
clusterName=standalone
bindAddress=127.0.0.1
advertisedAddress=127.0.0.1
brokerServicePort=$pulsar_binary
webServicePort=$pulsar_http
managedLedgerDefaultEnsembleSize=1
managedLedgerDefaultWriteQuorum=1
managedLedgerDefaultAckQuorum=1
loadManagerClassName=org.apache.pulsar.broker.loadbalance.NoopLoadManager
loadBalancerEnabled=false
allowLoopback=true
CONF
}

start_pulsar() { # empty folder with standalone.conf, token for HTTP or '', more options: sets pulsar_process when it is ready
  folder=$1
  token=$2
  shift 2
  # Its libraries are older than the JDK and look into it.
  opened=
  for package in lang io nio util; do opened="$opened --add-opens=java.base/java.$package=ALL-UNNAMED"; done
  for package in sun.net sun.nio.ch jdk.internal.misc; do opened="$opened --add-opens=java.base/$package=ALL-UNNAMED"; done
  # shellcheck disable=SC2086
  "$JAVA_HOME/bin/java" -Xmx1g -XX:MaxDirectMemorySize=1g --enable-native-access=ALL-UNNAMED \
    --sun-misc-unsafe-memory-access=allow $opened --add-opens=java.management/sun.management=ALL-UNNAMED \
    -Djava.net.preferIPv4Stack=true -Djava.io.tmpdir="$folder" \
    -Dlog4j2.configurationFile="$PWD/perf/src/main/resources/io/sluice/perf/peer/log4j2.xml" -cp "$pulsar_jars/*" \
    org.apache.pulsar.PulsarStandaloneStarter --config "$folder/standalone.conf" --no-functions-worker --no-stream-storage \
    --advertised-address 127.0.0.1 "$@" --bookkeeper-dir "$folder/bookkeeper" --metadata-dir "$folder/metadata" \
    >"$folder/log" 2>&1 &
  pulsar_process=$!
  # The last thing it makes when it starts on an empty folder.
  await_http "Apache Pulsar" "$pulsar_process" "$folder/log" "http://127.0.0.1:$pulsar_http" "$token"
}

await_http() { # name, process, log, URL, token or '': until public/default is there
  tries=0
  until curl -sf -H "Authorization: Bearer $5" "$4/admin/v2/namespaces/public" | grep -q public/default; do
    tries=$((tries + 1))
    if [ $tries -gt 120 ] || ! kill -0 "$2" 2>/dev/null; then
      echo "$1 does not get ready:" >&2
      tail -20 "$3" >&2
      exit 1
    fi
    sleep 1
  done
}
