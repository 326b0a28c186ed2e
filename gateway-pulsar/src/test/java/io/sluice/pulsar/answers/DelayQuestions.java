package io.sluice.pulsar.answers;

import java.util.Map;

/** Delayed delivery of a namespace and of a topic. */
final class DelayQuestions {
    private static final String NAMESPACE = "/admin/v2/namespaces/acme/app/delayedDelivery";
    private static final String MISSING = "/admin/v2/namespaces/acme/none/delayedDelivery";
    private static final String TOPIC = "/admin/v2/persistent/acme/app/t/delayedDelivery";
    private static final String MISSING_TOPIC = "/admin/v2/persistent/acme/app/missing/delayedDelivery";

    private final Questions q;

    DelayQuestions(Questions q) {
        this.q = q;
    }

    private static String policy(long tick, boolean active, long most) {
        return "{\"tickTime\": " + tick + ", \"active\": " + active + ", \"maxDeliveryDelayInMillis\": " + most + "}";
    }

    /** The bound of a delay in the answer. */
    private static String longest(Answer answer) {
        return answer.body() instanceof Map<?, ?> m ? String.valueOf(m.get("maxDeliveryDelayInMillis")) : "none";
    }

    void ask() {
        q.get("delayed delivery where none is set", NAMESPACE);
        q.post("set delayed delivery", NAMESPACE, policy(500, true, 60_000));
        q.getUntil("delayed delivery", NAMESPACE, a -> a.body() instanceof Map);
        q.get("namespace with delayed delivery", "/admin/v2/namespaces/acme/app");
        q.get("delayed delivery of a topic where none is set", TOPIC);
        q.getUntil(
                "delayed delivery of a topic as its namespace's is applied",
                TOPIC + "?applied=true",
                a -> longest(a).equals("60000"));
        q.post("set delayed delivery of a topic", TOPIC, policy(100, false, 0));
        q.getUntil("delayed delivery of a topic", TOPIC, a -> a.body() instanceof Map);
        q.get("delayed delivery of a topic as it is applied", TOPIC + "?applied=true");
        q.post("set delayed delivery with a tick of nothing", NAMESPACE, policy(0, true, 0));
        q.post("set delayed delivery with a bound below nothing", NAMESPACE, policy(1, true, -1));
        q.post("set delayed delivery of a topic with a tick of nothing", TOPIC, policy(0, true, 0));
        q.post("set delayed delivery with a bad body", NAMESPACE, "no JSON");
        q.post("set delayed delivery of a topic with a bad body", TOPIC, "no JSON");
        q.post("set delayed delivery of a missing namespace", MISSING, policy(1, true, 0));
        q.get("delayed delivery of a missing namespace", MISSING);
        q.post("set delayed delivery of a missing topic", MISSING_TOPIC, policy(1, true, 0));
        q.get("delayed delivery of a missing topic", MISSING_TOPIC);
        q.delete("remove delayed delivery of a topic", TOPIC);
        q.getUntil("delayed delivery of a topic after removal", TOPIC, a -> !(a.body() instanceof Map));
        q.delete("remove delayed delivery", NAMESPACE);
        q.getUntil("delayed delivery after removal", NAMESPACE, a -> !(a.body() instanceof Map));
        q.delete("remove delayed delivery of a missing namespace", MISSING);
        q.getUntil(
                "delayed delivery of a topic as it is applied by default",
                TOPIC + "?applied=true",
                a -> longest(a).equals("0"));
    }
}
