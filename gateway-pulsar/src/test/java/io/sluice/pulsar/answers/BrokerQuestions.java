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
        q.get("bundle of a topic", BUNDLE);
        q.get("bundle of a live topic", BUNDLE.replace("persistent", "non-persistent"));
        ofNamespace();
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
