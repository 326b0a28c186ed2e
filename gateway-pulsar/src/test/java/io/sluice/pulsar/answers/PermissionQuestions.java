package io.sluice.pulsar.answers;

/** Permissions of a server without authorization, which keeps them. */
final class PermissionQuestions {
    private static final String NAMESPACE = "/admin/v2/namespaces/acme/granted";
    private static final String PERMISSIONS = NAMESPACE + "/permissions";
    private static final String TOPIC = "/admin/v2/persistent/acme/granted/t";
    private static final String OF_TOPIC = TOPIC + "/permissions";

    private final Questions q;

    PermissionQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        q.put("create namespace with permissions", NAMESPACE, "");
        q.put("create topic with permissions", TOPIC, "");
        ofNamespaces();
        ofSubscriptions();
        ofTopics();
        q.delete("delete topic with permissions", TOPIC);
        q.delete("delete namespace with permissions", NAMESPACE);
        q.put("create namespace that had permissions", NAMESPACE, "");
        q.get("permissions of a namespace that had some", PERMISSIONS);
        q.delete("delete namespace that had permissions", NAMESPACE);
    }

    private void ofNamespaces() {
        q.get("permissions of a namespace that has none", PERMISSIONS);
        q.post("grant on a namespace", PERMISSIONS + "/alice", "[\"produce\", \"consume\"]");
        q.post("grant another role on a namespace", PERMISSIONS + "/bob", "[\"produce\"]");
        q.get("permissions of a namespace", PERMISSIONS);
        q.post("grant less on a namespace", PERMISSIONS + "/alice", "[\"consume\"]");
        q.delete("revoke on a namespace", PERMISSIONS + "/bob");
        q.delete("revoke on a namespace again", PERMISSIONS + "/bob");
        q.get("permissions of a namespace after a change", PERMISSIONS);
        q.post("grant a bad action", PERMISSIONS + "/alice", "[\"fly\"]");
        q.post("grant on a missing namespace", "/admin/v2/namespaces/acme/none/permissions/alice", "[\"consume\"]");
        q.get("permissions of a missing namespace", "/admin/v2/namespaces/acme/none/permissions");
    }

    private void ofSubscriptions() {
        q.get("permissions of subscriptions where there are none", PERMISSIONS + "/subscription");
        q.post("grant on a subscription", PERMISSIONS + "/subscription/billing", "[\"alice\", \"bob\"]");
        q.get("permissions of subscriptions", PERMISSIONS + "/subscription");
        q.delete("revoke on a subscription", PERMISSIONS + "/billing/alice");
        q.get("permissions of subscriptions after a change", PERMISSIONS + "/subscription");
    }

    private void ofTopics() {
        q.get("permissions of a topic", OF_TOPIC);
        q.post("grant on a topic", OF_TOPIC + "/bob", "[\"produce\"]");
        q.get("permissions of a topic after a change", OF_TOPIC);
        q.delete("revoke on a topic", OF_TOPIC + "/bob");
        q.delete("revoke on a topic again", OF_TOPIC + "/bob");
        q.get("permissions of a topic after revocation", OF_TOPIC);
        q.post("grant on a missing topic", "/admin/v2/persistent/acme/granted/none/permissions/bob", "[\"consume\"]");
        q.get("permissions of a missing topic", "/admin/v2/persistent/acme/granted/none/permissions");
    }
}
