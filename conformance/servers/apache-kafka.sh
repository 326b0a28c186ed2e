# Apache Kafka of one node for the scripts of this folder, which source it from the project's folder, and our gateway's tests to talk to it.
# Fetches it from Maven Central once (130 MB). POSIX sh.

kafka_version=4.4.0
kafka_port=19092
kafka_controller=19094

fetch_kafka() { # sets kafka_jars
  kafka_jars=${XDG_CACHE_HOME:-$HOME/.cache}/sluice/kafka/$kafka_version
  pom=$PWD/perf/src/main/resources/io/sluice/perf/peer/kafka.xml
  grep -q "<version>$kafka_version</version>" "$pom" || { echo "$pom is for another version than $kafka_version" >&2; exit 1; }
  if [ ! -d "$kafka_jars" ]; then
    echo "fetching Apache Kafka $kafka_version" >&2
    # Fetched aside and moved, so that a download that was cut off is none.
    rm -rf "$kafka_jars.partial"
    mkdir -p "$kafka_jars.partial"
    cp "$pom" "$kafka_jars.partial/pom.xml"
    ./mvnw -q -B -f "$kafka_jars.partial/pom.xml" dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$kafka_jars.partial"
    mv "$kafka_jars.partial" "$kafka_jars"
  fi
}

start_kafka() { # empty folder: sets kafka_process
  # As many partitions of both coordinators as our gateway has in the tests: they are in answers.
  cat > "$1/server.properties" <<CONF
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$kafka_controller
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:$kafka_port,CONTROLLER://127.0.0.1:$kafka_controller
advertised.listeners=PLAINTEXT://127.0.0.1:$kafka_port
log.dirs=$1/logs
offsets.topic.replication.factor=1
offsets.topic.num.partitions=8
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=16
transaction.abort.timed.out.transaction.cleanup.interval.ms=500
group.initial.rebalance.delay.ms=0
CONF
  "$JAVA_HOME/bin/java" -cp "$kafka_jars/*" kafka.tools.StorageTool format -t 4L6g3nShT-eMCtK--X86sw -c "$1/server.properties" >"$1/log" 2>&1
  "$JAVA_HOME/bin/java" -Xmx1g -Djava.net.preferIPv4Stack=true -cp "$kafka_jars/*" kafka.Kafka "$1/server.properties" >>"$1/log" 2>&1 &
  kafka_process=$!
}

compile_gateway_tests() { # folder: for play
  ./mvnw -q -B -pl gateway-kafka -am test-compile dependency:build-classpath -Dmdep.outputFile="$1/classpath"
  gateway_classpath="gateway-kafka/target/test-classes:gateway-kafka/target/classes:$(cat "$1/classpath")"
}

play() { # main class of the gateway's tests, arguments
  "$JAVA_HOME/bin/java" --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow -cp "$gateway_classpath" "$@"
}
