package io.sluice.pulsar.answers;

/** Shadow topics, in a namespace of their own. */
final class ShadowTopicQuestions {
    private static final String NAMESPACE = "/admin/v2/namespaces/acme/shaded";
    private static final String TOPICS = "/admin/v2/persistent/acme/shaded";
    private static final String SOURCE = TOPICS + "/source";
    private static final String SHADOW = TOPICS + "/shadow";
    private static final String MISSING = TOPICS + "/missing";
    private static final String LIVE = "/admin/v2/non-persistent/acme/shaded/live/shadowTopics";
    private static final String LIST = "[\"persistent://acme/shaded/shadow\"]";
    private static final String PROPERTY = "{\"PULSAR.SHADOW_SOURCE\": \"persistent://acme/shaded/source\"}";

    private final Questions q;

    ShadowTopicQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        q.put("create namespace with shadow topics", NAMESPACE, "");
        q.put("create source of a shadow topic", SOURCE, "");
        q.get("shadow topics of a topic that has none", SOURCE + "/shadowTopics");
        q.put("create shadow topic", SHADOW, PROPERTY);
        q.put("create shadow topic again", SHADOW, PROPERTY);
        q.put(
                "create shadow topic of a missing topic",
                TOPICS + "/other",
                "{\"PULSAR.SHADOW_SOURCE\": \"persistent://acme/shaded/none\"}");
        q.get("properties of a shadow topic", SHADOW + "/properties");
        q.get("partitions of a shadow topic", SHADOW + "/partitions");
        q.put("create subscription of a shadow topic", SHADOW + "/subscription/s", "");
        q.get("subscriptions of a shadow topic", SHADOW + "/subscriptions");
        q.get("subscriptions of its source", SOURCE + "/subscriptions");
        lists();
        q.get("topics with a shadow topic", TOPICS);
        q.post("terminate a shadow topic", SHADOW + "/terminate", "");
        q.delete("delete source that has a shadow topic", SOURCE);
        q.delete("remove shadow topics", SOURCE + "/shadowTopics");
        q.get("shadow topics after removal", SOURCE + "/shadowTopics");
        q.delete("delete shadow topic", SHADOW + "?force=true");
        q.get("properties of a shadow topic that is gone", SHADOW + "/properties");
        q.delete("delete source", SOURCE + "?force=true");
        q.get("topics without shadow topics", TOPICS);
    }

    private void lists() {
        q.put("set shadow topics", SOURCE + "/shadowTopics", LIST);
        q.get("shadow topics", SOURCE + "/shadowTopics");
        q.put("set shadow topics to none", SOURCE + "/shadowTopics", "[]");
        q.put("set shadow topics to a missing one", SOURCE + "/shadowTopics", "[\"persistent://acme/shaded/none\"]");
        q.put(
                "set shadow topics to one that is not kept",
                SOURCE + "/shadowTopics",
                "[\"non-persistent://acme/shaded/live\"]");
        q.put("set shadow topics to a bad name", SOURCE + "/shadowTopics", "[\"acme/shaded\"]");
        q.put("set shadow topics with a bad body", SOURCE + "/shadowTopics", "no JSON");
        q.put("set shadow topics of a missing topic", MISSING + "/shadowTopics", LIST);
        q.get("shadow topics of a missing topic", MISSING + "/shadowTopics");
        q.delete("remove shadow topics of a missing topic", MISSING + "/shadowTopics");
        q.put("set shadow topics of a live topic", LIVE, LIST);
    }
}
