package io.sluice.pulsar.answers;

/** Brokers: how they are configured; and what is done with all topics of a namespace. */
final class BrokerQuestions {
    private static final String BROKERS = "/admin/v2/brokers";
    private static final String BUNDLE = "/lookup/v2/topic/persistent/acme/app/t/bundle";
    private static final String NAMESPACE = "/admin/v2/namespaces/acme/app/";
    private static final String NO_NAMESPACE = "/admin/v2/namespaces/acme/none/";
    private static final String TOPIC = "/admin/v2/persistent/acme/app/t/";

    private final Questions q;

    BrokerQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        q.get("names of what is configured while it runs", BROKERS + "/configuration");
        q.get("what was configured while it runs", BROKERS + "/configuration/values");
        q.get("configuration of a broker", BROKERS + "/configuration/runtime");
        q.get("configuration of the stores", BROKERS + "/internal-configuration");
        q.get("all bookies", "/admin/v2/bookies/all");
        q.get("bundle of a topic", BUNDLE);
        q.get("bundle of a live topic", BUNDLE.replace("persistent", "non-persistent"));
        ofNamespace();
        ofBundle();
        trim();
    }

    /** Both servers have one bundle of a namespace that is made with one. */
    private void ofBundle() {
        String namespace = "/admin/v2/namespaces/acme/one";
        String bundle = namespace + "/0x00000000_0xffffffff/";
        String topic = "/admin/v2/persistent/acme/one/t";
        q.put("create namespace of one bundle", namespace, "{\"bundles\": {\"numBundles\": 1}}");
        q.put("create topic in a bundle", topic, "");
        q.put("create subscription in a bundle", topic + "/subscription/s", "");
        q.post("clear all backlog of a bundle", bundle + "clearBacklog", "");
        q.post("clear backlog of a bundle", bundle + "clearBacklog/s", "");
        q.post("clear backlog of a missing bundle", namespace + "/0x00000000_0x10000000/clearBacklog/s", "");
        q.post("unsubscribe in a bundle", bundle + "unsubscribe/s", "");
        q.get("subscriptions after unsubscribing in a bundle", topic + "/subscriptions");
        q.put("unload a bundle", bundle + "unload", "");
        q.put("unload a missing bundle", namespace + "/0x00000000_0x10000000/unload", "");
        q.delete("delete topic in a bundle", topic);
        q.delete("delete namespace of one bundle", namespace);
    }

    private void trim() {
        q.post("trim a topic", TOPIC + "trim", "");
        q.post("trim a missing topic", "/admin/v2/persistent/acme/app/none/trim", "");
        q.post("trim a live topic", TOPIC.replace("persistent", "non-persistent") + "trim", "");
    }

    private void ofNamespace() {
        q.put("create subscription for a namespace to clear", TOPIC + "subscription/cleared", "");
        q.post("clear all backlog of a namespace", NAMESPACE + "clearBacklog", "");
        q.post("clear all backlog of a missing namespace", NO_NAMESPACE + "clearBacklog", "");
        q.put("unload a namespace", NAMESPACE + "unload", "");
        q.put("unload a missing namespace", NO_NAMESPACE + "unload", "");
        q.delete("delete subscription for a namespace to clear", TOPIC + "subscription/cleared");
    }
}
