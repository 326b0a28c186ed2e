package io.sluice.pulsar.answers;

import java.util.Objects;

/** Policies of topics whose messages are not kept that have nothing to do there. */
final class LivePolicyQuestions {
    private static final String LIVE = "/admin/v2/non-persistent/acme/app/llive";
    private static final String MISSING = "/admin/v2/non-persistent/acme/app/nolive";

    private final Questions q;

    LivePolicyQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        q.answer("PUT", LIVE, "");
        policy("messageTTL", "messageTTL", "?messageTTL=10", "");
        policy("deduplicationEnabled", "deduplicationEnabled", "", "true");
        policy("delayedDelivery", "delayedDelivery", "", "{\"active\": false, \"tickTime\": 500}");
        policy("backlogQuotaMap", "backlogQuota", "", "{\"limitSize\": 1000, \"policy\": \"producer_exception\"}");
        policy("replication", "replication", "", "[\"standalone\"]");
        q.post("set bad messageTTL of a live topic", LIVE + "/messageTTL?messageTTL=-1", "");
        q.post("set deduplicationEnabled of a live topic with a bad body", LIVE + "/deduplicationEnabled", "no JSON");
        q.post("set replication of a live topic to no cluster", LIVE + "/replication", "[]");
        q.answer("DELETE", LIVE, "");
    }

    private void policy(String name, String changed, String query, String value) {
        String of = name + " of a live topic";
        String path = LIVE + '/' + name;
        Answer unset = q.answer("GET", path, "");
        q.get(of + " where none is set", path);
        q.post("set " + of, LIVE + '/' + changed + query, value);
        q.getUntil(of, path, a -> !Objects.equals(a.body(), unset.body()));
        q.get(of + " as it is applied", path + "?applied=true");
        q.delete("remove " + of, LIVE + '/' + changed);
        q.getUntil(of + " after removal", path, a -> Objects.equals(a.body(), unset.body()));
        q.get(of + " that is missing", MISSING + '/' + name);
        q.post("set " + of + " that is missing", MISSING + '/' + changed + query, value);
    }
}
