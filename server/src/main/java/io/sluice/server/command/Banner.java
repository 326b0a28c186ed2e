package io.sluice.server.command;

import io.sluice.server.version.Version;
import io.sluice.server.wiring.Listeners;
import java.nio.file.Path;

/** Text shown when the server is ready: addresses, data folder, first commands to try. */
final class Banner {
    private Banner() {}

    /** The same in one line, for a log. */
    static String line(Listeners listeners, Path data) {
        return "Sluice %s is ready: Kafka %s, Pulsar %s, HTTP %s, data %s"
                .formatted(Version.number(), listeners.kafka(), listeners.pulsarUrl(), listeners.httpUrl(), data);
    }

    static String of(Listeners listeners, Path data) {
        return """
                Sluice %s is ready.
                  Kafka   %s
                  Pulsar  %s
                  HTTP    %s  (/health /ready /metrics)
                  data    %s
                Try:
                  echo hello | kcat -b %s -P -t greetings && kcat -b %s -C -t greetings -e
                  pulsar-client --url %s produce -m hello my-topic
                Stop with Ctrl-C.
                """.formatted(
                        Version.number(),
                        listeners.kafka(),
                        listeners.pulsarUrl(),
                        listeners.httpUrl(),
                        data,
                        listeners.kafka(),
                        listeners.kafka(),
                        listeners.pulsarUrl());
    }
}
