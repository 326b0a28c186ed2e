package io.sluice.pulsar.answers;

import java.io.IOException;
import java.util.Map;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;

/** Compaction of topics, and the thresholds above which they are compacted without being asked. */
final class CompactionQuestions {
    private static final String NAMESPACE = "/admin/v2/namespaces/acme/app";
    private static final String APP = "/admin/v2/persistent/acme/app";
    private static final String T = APP + "/compacted";
    private static final String THRESHOLD = "/compactionThreshold";

    private final Questions q;
    private final PulsarClient client;

    CompactionQuestions(Questions q, PulsarClient client) {
        this.q = q;
        this.client = client;
    }

    void ask() throws IOException {
        compaction();
        ofTopic();
        ofNamespace();
    }

    private void send() throws IOException {
        try (Producer<String> producer = client.newProducer(Schema.STRING)
                .topic("persistent://acme/app/compacted")
                .enableBatching(false)
                .create()) {
            for (int i = 0; i < 4; i++) {
                producer.newMessage().key("k" + i % 2).value("v" + i).send();
            }
        }
    }

    private static boolean is(Answer answer, String status) {
        return answer.body() instanceof Map<?, ?> m && status.equals(m.get("status"));
    }

    private void compaction() throws IOException {
        send();
        q.get("compaction of a topic that was not compacted", T + "/compaction");
        q.put("compact a topic", T + "/compaction", "");
        q.getUntil("compaction of a topic", T + "/compaction", a -> is(a, "SUCCESS"));
        q.get("stats of a compacted topic", T + "/stats");
        q.get("subscriptions of a compacted topic", T + "/subscriptions");
        q.put("compact a topic again", T + "/compaction", "");
        q.getUntil("compaction of a topic again", T + "/compaction", a -> is(a, "SUCCESS"));
        q.put("compact a partitioned topic", APP + "/p/compaction", "");
        q.getUntil("compaction of a partition", APP + "/p-partition-0/compaction", a -> is(a, "SUCCESS"));
        q.put("compact a missing topic", APP + "/none/compaction", "");
        q.get("compaction of a missing topic", APP + "/none/compaction");
        q.put("compact a topic in a missing namespace", "/admin/v2/persistent/acme/none/t/compaction", "");
        q.delete("delete what was compacted", T + "/subscription/__compaction");
        q.get("subscriptions of a topic whose compaction was deleted", T + "/subscriptions");
        q.delete("truncate a topic", T + "/truncate");
        q.delete("truncate a missing topic", APP + "/none/truncate");
    }

    private void ofTopic() {
        String path = T + THRESHOLD;
        q.get("compaction threshold of a topic where none is set", path);
        q.get("applied compaction threshold where none is set", path + "?applied=true");
        q.post("set a topic's compaction threshold", path, "1000");
        q.getUntil(
                "compaction threshold of a topic",
                path,
                a -> Integer.valueOf(1000).equals(a.body()));
        q.post("set a topic's compaction threshold below zero", path, "-1");
        q.post("set a missing topic's compaction threshold", APP + "/none" + THRESHOLD, "1000");
        q.get("compaction threshold of a missing topic", APP + "/none" + THRESHOLD);
        q.delete("remove a topic's compaction threshold", path);
        q.getUntil(
                "compaction threshold of a topic after removal",
                path,
                a -> !Integer.valueOf(1000).equals(a.body()));
    }

    private void ofNamespace() {
        String path = NAMESPACE + THRESHOLD;
        q.get("compaction threshold of a namespace where none is set", path);
        q.put("set a namespace's compaction threshold", path, "2000");
        q.getUntil(
                "compaction threshold of a namespace",
                path,
                a -> Integer.valueOf(2000).equals(a.body()));
        q.getUntil(
                "applied compaction threshold",
                T + THRESHOLD + "?applied=true",
                a -> Integer.valueOf(2000).equals(a.body()));
        q.get("namespace with a compaction threshold", NAMESPACE);
        q.put("set a namespace's compaction threshold below zero", path, "-1");
        q.put("set the compaction threshold of a missing namespace", "/admin/v2/namespaces/acme/none" + THRESHOLD, "1");
        q.get("compaction threshold of a missing namespace", "/admin/v2/namespaces/acme/none" + THRESHOLD);
        q.delete("remove a namespace's compaction threshold", path);
        q.getUntil(
                "compaction threshold of a namespace after removal",
                path,
                a -> !Integer.valueOf(2000).equals(a.body()));
    }
}
