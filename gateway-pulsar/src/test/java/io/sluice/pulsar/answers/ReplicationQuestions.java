package io.sluice.pulsar.answers;

/** Clusters, and to which of them tenants, namespaces and topics go. Nothing is replicated: there are no topics where more than one is set. */
final class ReplicationQuestions {
    private static final String FAR = "/admin/v2/clusters/far";
    private static final String TENANT = "/admin/v2/tenants/acme";
    private static final String NAMESPACE = "/admin/v2/namespaces/acme/geo";
    private static final String TOPIC = "/admin/v2/persistent/acme/app/t/replication";
    private static final String DATA =
            "{\"serviceUrl\": \"http://127.0.0.1:1\", \"brokerServiceUrl\": \"pulsar://127.0.0.1:1\"}";
    private static final String BOTH = "[\"far\", \"standalone\"]";

    private final Questions q;

    ReplicationQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        clusters();
        places();
        topics();
        allowed();
        q.post("replication of a namespace to one cluster", NAMESPACE + "/replication", "[\"standalone\"]");
        q.post("clusters of a tenant again", TENANT, "{\"allowedClusters\": [\"standalone\"]}");
        q.delete("delete namespace of two clusters", NAMESPACE);
        q.delete("delete cluster", FAR);
        q.delete("delete cluster again", FAR);
    }

    private void clusters() {
        q.post("update missing cluster", FAR, DATA);
        q.put("create cluster", FAR, DATA);
        q.put("create cluster again", FAR, DATA);
        q.put("create the cluster that is there", "/admin/v2/clusters/standalone", DATA);
        q.put("create cluster of a bad name", "/admin/v2/clusters/a,b", DATA);
        q.put("create cluster with a bad URL", "/admin/v2/clusters/x", "{\"serviceUrl\": \"ftp://x\"}");
        q.put("create cluster without body", "/admin/v2/clusters/x", "");
        q.post("update cluster with a bad URL", FAR, "{\"serviceUrl\": \"ftp://x\"}");
        q.post("update cluster", FAR, DATA);
        q.get("clusters that are two", "/admin/v2/clusters");
        q.get("another cluster", FAR);
        q.get("peers of another cluster", FAR + "/peers");
        q.post("set peers", FAR + "/peers", "[\"standalone\"]");
        q.get("peers that were set", FAR + "/peers");
        q.post("set missing peer", FAR + "/peers", "[\"none\"]");
        q.post("set itself as peer", FAR + "/peers", "[\"far\"]");
        q.post("set peers with a bad body", FAR + "/peers", "no JSON");
        q.post("set peers of a missing cluster", "/admin/v2/clusters/none/peers", "[\"far\"]");
        q.post("set no peers", FAR + "/peers", "[]");
        q.get("peers after removal", FAR + "/peers");
    }

    private void places() {
        q.put("create namespace to replicate", NAMESPACE, "");
        q.post("replication to a cluster that is not the tenant's", NAMESPACE + "/replication", BOTH);
        q.put(
                "create namespace in a cluster that is not the tenant's",
                NAMESPACE + "x",
                "{\"replication_clusters\": " + BOTH + "}");
        q.post("clusters of a tenant", TENANT, "{\"allowedClusters\": " + BOTH + "}");
        q.get("tenant of two clusters", TENANT);
        q.post("replication to two clusters", NAMESPACE + "/replication", BOTH);
        q.get("namespace of two clusters", NAMESPACE);
        q.get("replication that was set", NAMESPACE + "/replication");
        q.post("replication to no cluster", NAMESPACE + "/replication", "[]");
        q.post("clusters of a tenant without one in use", TENANT, "{\"allowedClusters\": [\"standalone\"]}");
    }

    /** Of the namespace of two clusters, and of one that says at its creation where it may be. */
    private void allowed() {
        String allowed = NAMESPACE + "/allowedClusters";
        q.get("allowed clusters where none are set", allowed);
        q.get("allowed clusters of a missing namespace", NAMESPACE + "none/allowedClusters");
        q.post("allow clusters in a missing namespace", NAMESPACE + "none/allowedClusters", BOTH);
        q.post("allow no cluster", allowed, "[]");
        q.post("allow a cluster that is not the tenant's", allowed, "[\"standalone\", \"none\"]");
        q.post("allow one cluster of two", allowed, "[\"standalone\"]");
        q.post("allow clusters with a bad body", allowed, "no JSON");
        q.post("allow clusters without body", allowed, "");
        q.post("allow two clusters", allowed, BOTH);
        q.get("allowed clusters", allowed);
        q.get("namespace with allowed clusters", NAMESPACE);
        q.put(
                "create namespace in a cluster that it does not allow",
                NAMESPACE + "2",
                "{\"allowed_clusters\": [\"standalone\"], \"replication_clusters\": " + BOTH + "}");
        q.put("create namespace with allowed clusters", NAMESPACE + "2", "{\"allowed_clusters\": [\"standalone\"]}");
        q.get("allowed clusters of a new namespace", NAMESPACE + "2/allowedClusters");
        q.post("replication to a cluster that is not allowed", NAMESPACE + "2/replication", BOTH);
        q.delete("delete namespace with allowed clusters", NAMESPACE + "2");
    }

    private void topics() {
        q.get("replication of a topic where none is set", TOPIC);
        q.get("replication of a topic as it is applied", TOPIC + "?applied=true");
        q.post("replication of a topic to no cluster", TOPIC, "[]");
        q.post("replication of a topic to another cluster alone", TOPIC, "[\"far\"]");
        q.post("replication of a topic to a missing cluster", TOPIC, "[\"standalone\", \"none\"]");
        q.post("replication of a topic", TOPIC, "[\"standalone\"]");
        q.getUntil("replication of a topic that was set", TOPIC, a -> a.body() != null);
        q.delete("remove replication of a topic", TOPIC);
        q.getUntil("replication of a topic after removal", TOPIC, a -> a.body() == null);
        q.get("replication of a missing topic", "/admin/v2/persistent/acme/app/none/replication");
    }
}
