package io.sluice.pulsar.answers;

/** Migration of clusters and of namespaces to another cluster. No topic is in what is marked: it could not be used any more. */
final class ClusterMigrationQuestions {
    private static final String OWN = "/admin/v2/clusters/standalone/migrate";
    private static final String OTHER = "/admin/v2/clusters/blue/migrate";
    private static final String NAMESPACE = "/admin/v2/namespaces/acme/moving";
    private static final String URL =
            "{\"serviceUrl\": \"http://green:8080\", \"brokerServiceUrl\": \"pulsar://green:6650\"}";

    private final Questions q;

    ClusterMigrationQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        clusters();
        namespaces();
    }

    private void clusters() {
        q.get("migration of a cluster that has none", OWN);
        q.get("migration of a missing cluster", "/admin/v2/clusters/none/migrate");
        q.post("migrate a cluster without a URL", OWN + "?migrated=true", "{}");
        q.post("migrate a cluster to empty URLs", OWN + "?migrated=true", "{\"serviceUrl\": \"\"}");
        q.post("migrate a cluster with a bad body", OWN + "?migrated=true", "no JSON");
        q.post("migrate a cluster to a bad URL", OTHER + "?migrated=true", "{\"brokerServiceUrl\": \"ftp://green\"}");
        q.post("migrate a cluster over HTTP alone", OTHER + "?migrated=true", "{\"serviceUrl\": \"http://green\"}");
        q.post("migrate a cluster", OWN + "?migrated=true", URL);
        q.get("migration of a cluster", OWN);
        q.post("migrate a cluster no more", OWN + "?migrated=false", URL);
        q.get("migration of a cluster that is over", OWN);
        q.post("migrate a cluster by no flag", OWN, URL);
        q.post("forget where a cluster migrates", OWN + "?migrated=false", "{}");
        q.get("migration of a cluster that is forgotten", OWN);
        q.post("migrate a missing cluster", "/admin/v2/clusters/none/migrate?migrated=true", URL);
        q.put("create cluster to migrate", "/admin/v2/clusters/blue", URL);
        q.post("migrate another cluster", OTHER + "?migrated=true", URL);
        q.get("migration of another cluster", OTHER);
        q.delete("delete cluster that migrates", "/admin/v2/clusters/blue");
        q.get("migration of a cluster that was deleted", OTHER);
    }

    private void namespaces() {
        q.put("create namespace to migrate", NAMESPACE, "");
        q.post("migrate a namespace", NAMESPACE + "/migration", "true");
        q.get("namespace that migrates", NAMESPACE);
        q.post("migrate a namespace no more", NAMESPACE + "/migration", "false");
        q.post("migrate a namespace with a bad body", NAMESPACE + "/migration", "\"perhaps\"");
        q.post("migrate a namespace without a body", NAMESPACE + "/migration", "");
        q.post("migrate a namespace again", NAMESPACE + "/migration", "true");
        q.delete("delete namespace that migrates", NAMESPACE);
        q.put("create namespace that has migrated", NAMESPACE, "");
        q.get("namespace that has migrated", NAMESPACE);
        q.post("migrate a missing namespace", NAMESPACE + "none/migration", "true");
        q.delete("delete namespace that has migrated", NAMESPACE);
    }
}
