package io.sluice.pulsar.answers;

/** How far topics are in long-term storage, where nothing is in it. */
final class StorageQuestions {
    private static final String APP = "/admin/v2/persistent/acme/app";
    private static final String FIRST = "{\"ledgerId\": 0, \"entryId\": 0, \"partitionIndex\": -1}";

    private final Questions q;

    StorageQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        q.answer("PUT", APP + "/stored", "");
        q.get("offload status", APP + "/stored/offload");
        q.get("offload status of a partition", APP + "/p-partition-0/offload");
        q.get("offload status of a partitioned topic", APP + "/p/offload");
        q.get("offload status of a missing topic", APP + "/missing/offload");
        q.put("offload without a message id", APP + "/stored/offload", "");
        q.put("offload with a bad body", APP + "/stored/offload", "no JSON");
        q.put("offload a partitioned topic", APP + "/p/offload", FIRST);
        q.put("offload a missing topic", APP + "/missing/offload", FIRST);
        q.put("offload", APP + "/stored/offload", FIRST);
        q.answer("DELETE", APP + "/stored", "");
    }
}
