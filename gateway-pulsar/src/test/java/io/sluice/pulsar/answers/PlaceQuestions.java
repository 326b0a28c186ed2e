package io.sluice.pulsar.answers;

/** Brokers, clusters, tenants, namespaces, and routes that are not there. */
final class PlaceQuestions {
    private static final String TENANTS = "/admin/v2/tenants";
    private static final String NAMESPACES = "/admin/v2/namespaces";
    private static final String OF_CLUSTER = "{\"adminRoles\": [\"me\"], \"allowedClusters\": [\"standalone\"]}";

    private final Questions q;

    PlaceQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        brokers();
        clusters();
        tenants();
        namespaces();
        missingRoutes();
    }

    private void brokers() {
        q.get("health", "/admin/v2/brokers/health");
        q.get("ready", "/admin/v2/brokers/ready");
        q.get("brokers", "/admin/v2/brokers");
        q.get("brokers of a cluster", "/admin/v2/brokers/standalone");
        q.get("brokers of a missing cluster", "/admin/v2/brokers/none");
        q.get("version", "/admin/v2/brokers/version");
        q.get("leader", "/admin/v2/brokers/leaderBroker");
    }

    private void clusters() {
        q.get("clusters", "/admin/v2/clusters");
        q.get("cluster", "/admin/v2/clusters/standalone");
        q.get("missing cluster", "/admin/v2/clusters/none");
        q.get("cluster of a bad name", "/admin/v2/clusters/a,b");
    }

    private void tenants() {
        q.get("tenants before", TENANTS);
        q.put("create tenant", TENANTS + "/acme", OF_CLUSTER);
        q.put("create tenant again", TENANTS + "/acme", OF_CLUSTER);
        q.put("create tenant without clusters", TENANTS + "/t", "{\"allowedClusters\": []}");
        q.put("create another tenant", TENANTS + "/other", OF_CLUSTER);
        q.put("create tenant of a bad name", TENANTS + "/a,b", OF_CLUSTER);
        q.put("create tenant in a missing cluster", TENANTS + "/t", "{\"allowedClusters\": [\"none\"]}");
        q.put("create tenant without body", TENANTS + "/t", "");
        q.put("create tenant with a bad body", TENANTS + "/t", "no JSON");
        q.put("create tenant with a list for body", TENANTS + "/t", "[]");
        q.get("tenants", TENANTS);
        q.get("tenant", TENANTS + "/acme");
        q.get("missing tenant", TENANTS + "/none");
        q.get("tenant of a bad name", TENANTS + "/a,b");
        q.delete("delete missing tenant", TENANTS + "/none");
    }

    private void namespaces() {
        q.get("namespaces of a new tenant", NAMESPACES + "/acme");
        q.get("namespaces of a missing tenant", NAMESPACES + "/none");
        q.get("namespaces of a bad tenant", NAMESPACES + "/a,b");
        q.put("create namespace", NAMESPACES + "/acme/app", "");
        q.put("create namespace again", NAMESPACES + "/acme/app", "");
        q.put(
                "create namespace with policies",
                NAMESPACES + "/acme/policies",
                "{\"replication_clusters\": [\"standalone\"]}");
        q.put(
                "create namespace in a missing cluster",
                NAMESPACES + "/acme/x",
                "{\"replication_clusters\": [\"none\"]}");
        q.put("create namespace of a missing tenant", NAMESPACES + "/nobody/x", "");
        q.put("create namespace of a bad name", NAMESPACES + "/acme/a,b", "");
        q.put("create namespace of a bad tenant", NAMESPACES + "/a,b/x", "");
        q.put("create namespace with a bad body", NAMESPACES + "/acme/x", "no JSON");
        q.get("namespaces", NAMESPACES + "/acme");
        q.get("namespace", NAMESPACES + "/acme/app");
        q.get("namespace with policies", NAMESPACES + "/acme/policies");
        q.get("missing namespace", NAMESPACES + "/acme/none");
        q.get("namespace of a missing tenant", NAMESPACES + "/none/x");
        q.get("namespace of a bad name", NAMESPACES + "/acme/a,b");
        q.get("topics of a new namespace", NAMESPACES + "/acme/app/topics");
        q.get("topics of a missing namespace", NAMESPACES + "/acme/none/topics");
        q.get("topics of a namespace of a missing tenant", NAMESPACES + "/none/x/topics");
        q.get("topics of a bad namespace", NAMESPACES + "/acme/a,b/topics");
        q.delete("delete missing namespace", NAMESPACES + "/acme/none");
        q.delete("delete namespace of a bad name", NAMESPACES + "/acme/a,b");
    }

    private void missingRoutes() {
        q.get("missing route", "/admin/v2/nothing");
        q.get("missing route of a topic", "/admin/v2/persistent/acme/app/t/nothing");
        q.get("missing route of look-ups", "/lookup/v2/nothing");
        q.get("missing version", "/admin/v9/tenants");
        q.ask("method a route does not have", "PATCH", TENANTS, "");
        q.post("another method a route does not have", TENANTS, "{}");
    }

    void askForTheirEnd() {
        q.delete("delete tenant with namespaces", TENANTS + "/acme");
        q.delete("delete namespace with topics", NAMESPACES + "/acme/app");
        q.delete("delete empty namespace", NAMESPACES + "/acme/policies");
        q.get("namespaces after", NAMESPACES + "/acme");
        q.delete("delete tenant", TENANTS + "/other");
        q.get("tenants after", TENANTS);
    }
}
