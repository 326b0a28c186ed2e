package io.sluice.pulsar.answers;

import java.util.Map;

/** Policies of namespaces that tools set before they begin, and deduplication of a topic. */
final class PolicyQuestions {
    private static final String NAMESPACE = "/admin/v2/namespaces/acme/app";
    private static final String MISSING = "/admin/v2/namespaces/acme/none";
    private static final String BAD = "/admin/v2/namespaces/acme/a,b";
    private static final String APP_T = "/admin/v2/persistent/acme/app/t";
    private static final String TOPIC = "/admin/v2/persistent/acme/app/t/deduplicationEnabled";

    private final Questions q;

    PolicyQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        persistence();
        backlogQuota();
        backlogQuotaOfTopic();
        deduplication();
        deduplicationOfTopic();
    }

    private static String persistence(int ensemble, int write, int ack) {
        return "{\"bookkeeperEnsemble\": " + ensemble + ", \"bookkeeperWriteQuorum\": " + write
                + ", \"bookkeeperAckQuorum\": " + ack + ", \"managedLedgerMaxMarkDeleteRate\": 1.0}";
    }

    private void persistence() {
        String path = "/persistence";
        q.get("persistence where none is set", NAMESPACE + path);
        q.post("set persistence", NAMESPACE + path, persistence(3, 3, 2));
        q.getUntil("persistence", NAMESPACE + path, a -> a.body() instanceof Map);
        q.get("namespace with persistence", NAMESPACE);
        q.post("set persistence with a write quorum above the ensemble", NAMESPACE + path, persistence(2, 3, 2));
        q.post("set persistence with an ack quorum above the write quorum", NAMESPACE + path, persistence(3, 2, 3));
        q.post("set persistence of nothing", NAMESPACE + path, persistence(0, 0, 0));
        q.post("set persistence without body", NAMESPACE + path, "");
        q.post("set persistence with a bad body", NAMESPACE + path, "no JSON");
        q.post("set persistence of a missing namespace", MISSING + path, persistence(1, 1, 1));
        q.post("set persistence of a bad namespace", BAD + path, persistence(1, 1, 1));
        q.get("persistence of a missing namespace", MISSING + path);
        q.delete("remove persistence", NAMESPACE + path);
        q.getUntil("persistence after removal", NAMESPACE + path, a -> !(a.body() instanceof Map));
        q.delete("remove persistence of a missing namespace", MISSING + path);
    }

    private static String quota(long size, int time) {
        return "{\"limitSize\": " + size + ", \"limitTime\": " + time + ", \"policy\": \"producer_exception\"}";
    }

    private void backlogQuota() {
        String path = "/backlogQuota";
        q.get("backlog quotas where none is set", NAMESPACE + "/backlogQuotaMap");
        q.post("set backlog quota without limit", NAMESPACE + path, quota(-1, -1));
        q.getUntil(
                "backlog quotas",
                NAMESPACE + "/backlogQuotaMap",
                a -> a.body() instanceof Map<?, ?> m && m.containsKey("destination_storage"));
        q.post(
                "set backlog quota of age without limit",
                NAMESPACE + path + "?backlogQuotaType=message_age",
                quota(-1, -1));
        q.getUntil(
                "two backlog quotas",
                NAMESPACE + "/backlogQuotaMap",
                a -> a.body() instanceof Map<?, ?> m && m.containsKey("message_age"));
        q.get("namespace with backlog quotas", NAMESPACE);
        q.post("set backlog quota with a limit of size", NAMESPACE + path, quota(1000, -1));
        q.post(
                "set backlog quota with a limit of age",
                NAMESPACE + path + "?backlogQuotaType=message_age",
                quota(-1, 60));
        q.post("set backlog quota without policy", NAMESPACE + path, "{\"limitSize\": -1}");
        q.post("set backlog quota of another type", NAMESPACE + path + "?backlogQuotaType=other", quota(-1, -1));
        q.post("set backlog quota with a bad body", NAMESPACE + path, "no JSON");
        q.post("set backlog quota of a missing namespace", MISSING + path, quota(-1, -1));
        q.get("backlog quotas of a missing namespace", MISSING + "/backlogQuotaMap");
        q.delete("remove backlog quota", NAMESPACE + path);
        q.delete("remove backlog quota of age", NAMESPACE + path + "?backlogQuotaType=message_age");
        q.getUntil(
                "backlog quotas after removal",
                NAMESPACE + "/backlogQuotaMap",
                a -> !(a.body() instanceof Map<?, ?> m) || m.isEmpty());
        q.delete("remove backlog quota of a missing namespace", MISSING + path);
    }

    /** Of a topic, and beside what the topic and its namespace keep. */
    private void backlogQuotaOfTopic() {
        String map = APP_T + "/backlogQuotaMap";
        String path = APP_T + "/backlogQuota";
        q.get("backlog quotas of a topic where none is set", map);
        q.post("set backlog quota of a topic", path, quota(1000, -1));
        q.getUntil(
                "backlog quotas of a topic",
                map,
                a -> a.body() instanceof Map<?, ?> m && m.containsKey("destination_storage"));
        q.get("backlog quotas of a topic as they are applied", map + "?applied=true");
        q.post("set backlog quota of age of a topic", path + "?backlogQuotaType=message_age", quota(-1, 60));
        q.getUntil(
                "two backlog quotas of a topic",
                map,
                a -> a.body() instanceof Map<?, ?> m && m.containsKey("message_age"));
        q.post("set retention of a topic below its quota of age", APP_T + "/retention", kept(1, 1));
        q.post("set retention of a topic above its quotas", APP_T + "/retention", kept(2, 1));
        q.getUntil("retention of a topic with quotas", APP_T + "/retention", a -> a.body() instanceof Map);
        q.post("set backlog quota of a topic above its retention", path, quota(1 << 20, -1));
        q.post("set backlog quota of a topic without policy", path, "{\"limitSize\": -1}");
        q.post("set backlog quota of a topic with a bad body", path, "no JSON");
        q.post(
                "set backlog quota of a missing topic",
                "/admin/v2/persistent/acme/app/missing/backlogQuota",
                quota(1, 1));
        q.get("backlog quotas of a missing topic", "/admin/v2/persistent/acme/app/missing/backlogQuotaMap");
        q.delete("remove retention of a topic with quotas", APP_T + "/retention");
        q.delete("remove backlog quota of a topic", path);
        q.delete("remove backlog quota of age of a topic", path + "?backlogQuotaType=message_age");
        q.getUntil(
                "backlog quotas of a topic after removal", map, a -> !(a.body() instanceof Map<?, ?> m) || m.isEmpty());
        q.post("set backlog quota before retention", NAMESPACE + "/backlogQuota", quota(1 << 20, -1));
        q.post("set retention below a backlog quota", NAMESPACE + "/retention", kept(10, 1));
        q.post("set retention above a backlog quota", NAMESPACE + "/retention", kept(10, 2));
        q.post("set backlog quota above retention", NAMESPACE + "/backlogQuota", quota(2 << 20, -1));
        q.delete("remove retention beside a quota", NAMESPACE + "/retention");
        q.delete("remove backlog quota beside retention", NAMESPACE + "/backlogQuota");
        q.get("check backlog quotas", "/admin/v2/brokers/backlog-quota-check");
    }

    private static String kept(int minutes, int megabytes) {
        return "{\"retentionTimeInMinutes\": " + minutes + ", \"retentionSizeInMB\": " + megabytes + "}";
    }

    private void deduplication() {
        String path = "/deduplication";
        q.get("deduplication where none is set", NAMESPACE + path);
        q.post("set deduplication", NAMESPACE + path, "true");
        q.getUntil("deduplication", NAMESPACE + path, a -> Boolean.TRUE.equals(a.body()));
        q.get("namespace with deduplication", NAMESPACE);
        q.post("set no deduplication", NAMESPACE + path, "false");
        q.getUntil("no deduplication", NAMESPACE + path, a -> Boolean.FALSE.equals(a.body()));
        q.post("set deduplication with a bad body", NAMESPACE + path, "no JSON");
        q.post("set deduplication of a missing namespace", MISSING + path, "true");
        q.get("deduplication of a missing namespace", MISSING + path);
        q.delete("remove deduplication", NAMESPACE + path);
        q.getUntil("deduplication after removal", NAMESPACE + path, a -> !(a.body() instanceof Boolean));
        q.delete("remove deduplication of a missing namespace", MISSING + path);
    }

    private void deduplicationOfTopic() {
        q.get("deduplication of a topic where none is set", TOPIC);
        q.post("set deduplication of a topic", TOPIC, "true");
        q.getUntil("deduplication of a topic", TOPIC, a -> Boolean.TRUE.equals(a.body()));
        q.get("deduplication of a topic as it is applied", TOPIC + "?applied=true");
        q.post("set deduplication of a topic with a bad body", TOPIC, "no JSON");
        q.post(
                "set deduplication of a missing topic",
                "/admin/v2/persistent/acme/app/missing/deduplicationEnabled",
                "true");
        q.get("deduplication of a missing topic", "/admin/v2/persistent/acme/app/missing/deduplicationEnabled");
        q.delete("remove deduplication of a topic", TOPIC);
        q.getUntil("deduplication of a topic after removal", TOPIC, a -> !(a.body() instanceof Boolean));
        q.get("deduplication of a topic as it is applied by default", TOPIC + "?applied=true");
    }
}
