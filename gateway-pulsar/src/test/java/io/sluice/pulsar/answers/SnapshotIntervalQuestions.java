package io.sluice.pulsar.answers;

/** How often deduplication takes snapshots: where nothing is set, set, shown, removed; bad ones; and of what is not there. */
final class SnapshotIntervalQuestions {
    private static final String NAMESPACE = "/admin/v2/namespaces/acme/app/";
    private static final String NO_NAMESPACE = "/admin/v2/namespaces/acme/none/";
    private static final String LIVE = "/admin/v2/non-persistent/acme/app/slive";
    private static final String INTERVAL = "deduplicationSnapshotInterval";

    private final Questions q;

    SnapshotIntervalQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        ofNamespace();
        q.put("create live topic with a snapshot interval", LIVE, "");
        for (String kind : new String[] {"persistent", "non-persistent"}) {
            String namespace = "/admin/v2/" + kind + "/acme/app/";
            String topic = namespace + (kind.equals("persistent") ? "t/" : "slive/");
            ofTopic("a " + kind + " topic", topic);
            q.get("snapshot interval of a missing " + kind + " topic", namespace + "missing/" + INTERVAL);
            q.post("set snapshot interval of a missing " + kind + " topic", namespace + "missing/" + INTERVAL, "5");
        }
        q.delete("delete live topic with a snapshot interval", LIVE);
    }

    private void ofNamespace() {
        q.get("snapshot interval where none is set", NAMESPACE + INTERVAL);
        q.post("set snapshot interval", NAMESPACE + INTERVAL, "60");
        q.getUntil(
                "snapshot interval",
                NAMESPACE + INTERVAL,
                a -> Integer.valueOf(60).equals(a.body()));
        q.get("namespace with snapshot interval", "/admin/v2/namespaces/acme/app");
        q.post("set negative snapshot interval", NAMESPACE + INTERVAL, "-1");
        q.post("set snapshot interval with a bad body", NAMESPACE + INTERVAL, "no JSON");
        q.post("set snapshot interval of a missing namespace", NO_NAMESPACE + INTERVAL, "1");
        q.get("snapshot interval of a missing namespace", NO_NAMESPACE + INTERVAL);
        q.post("set no snapshot interval", NAMESPACE + INTERVAL, "");
        q.getUntil("snapshot interval after removal", NAMESPACE + INTERVAL, a -> !(a.body() instanceof Integer));
    }

    private void ofTopic(String of, String topic) {
        q.get("snapshot interval of " + of + " where none is set", topic + INTERVAL);
        q.post("set snapshot interval of " + of, topic + INTERVAL, "30");
        q.getUntil(
                "snapshot interval of " + of,
                topic + INTERVAL,
                a -> Integer.valueOf(30).equals(a.body()));
        q.post("set negative snapshot interval of " + of, topic + INTERVAL, "-1");
        q.post("set no snapshot interval of " + of, topic + INTERVAL, "");
        q.post("set another snapshot interval of " + of, topic + INTERVAL, "40");
        q.delete("remove snapshot interval of " + of, topic + INTERVAL);
        q.getUntil(
                "snapshot interval of " + of + " after removal", topic + INTERVAL, a -> !(a.body() instanceof Integer));
    }
}
