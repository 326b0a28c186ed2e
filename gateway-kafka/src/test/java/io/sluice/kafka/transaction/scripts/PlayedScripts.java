package io.sluice.kafka.transaction.scripts;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.protocol.ApiKeys;

/** Plays scripts on a server that speaks Kafka on loopback. */
final class PlayedScripts {
    private final int port;
    private final String run;

    /** @param run part of all names, so that one server can be asked again and again */
    PlayedScripts(int port, String run) {
        this.port = port;
        this.run = run;
    }

    List<List<String>> play(long firstSeed, long lastSeed, int steps)
            throws IOException, ExecutionException, InterruptedException {
        List<List<String>> all = new ArrayList<>();
        try (ScriptClient client = new ScriptClient(port);
                Admin admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + port))) {
            // Waits for a server that is still starting.
            admin.describeCluster().nodes().get();
            prepare(client);
            for (long seed = firstSeed; seed <= lastSeed; seed++) {
                String prefix = run + "-" + seed + "-";
                // Its records are of 1970.
                NewTopic topic = new NewTopic(prefix + "topic", 2, (short) 1).configs(Map.of("retention.ms", "-1"));
                admin.createTopics(List.of(topic)).all().get();
                all.add(new TransactionScript(client, prefix, prefix + "topic", seed).run(steps));
            }
        }
        return all;
    }

    /** Only by being asked for its coordinators does Kafka make the topics in which they keep their state. */
    private static void prepare(ScriptClient client) throws IOException {
        for (byte type = 0; type < 2; type++) {
            client.call(
                    ApiKeys.FIND_COORDINATOR,
                    4,
                    new FindCoordinatorRequestData().setKeyType(type).setCoordinatorKeys(List.of("any")));
        }
        // Takes the producer id 0, which is in answers where there is none.
        client.call(ApiKeys.INIT_PRODUCER_ID, 1, Requests.init(null, 0, null));
    }
}
