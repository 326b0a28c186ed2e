package io.sluice.pulsar.answers;

/** Scalable topics, of Pulsar 5: create, look at, split, merge, subscriptions, delete, and what is wrong with a request. */
final class ScalableQuestions {
    private static final String NAMESPACE = "/admin/v2/scalable/public/default";
    private static final String S = NAMESPACE + "/s";
    private static final String SEGMENTS = "/admin/v2/segments/public/default/s";
    private static final String NONE = NAMESPACE + "/none";

    private final Questions q;

    ScalableQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        create();
        look();
        scaling();
        split();
        merge();
        subscriptions();
        segments();
        migration();
        delete();
    }

    private void create() {
        q.get("list of none", NAMESPACE);
        q.put("create with properties", S + "?numInitialSegments=2", "{\"a\": \"b\"}");
        q.put("create again", S + "?numInitialSegments=2", "{}");
        q.put("create without body", NAMESPACE + "/one", "");
        q.put("create of no segments", NAMESPACE + "/zero?numInitialSegments=0", "{}");
        q.put("create of fewer than no segments", NAMESPACE + "/negative?numInitialSegments=-1", "{}");
        q.put("create with a word", NAMESPACE + "/word?numInitialSegments=two", "{}");
        q.put("create with a bad body", NAMESPACE + "/bad", "no JSON");
        q.put("create in a missing namespace", "/admin/v2/scalable/public/none/s", "{}");
        q.put("create of a missing tenant", "/admin/v2/scalable/nobody/x/s", "{}");
        q.put("create of a partition's name", NAMESPACE + "/p-partition-0", "{}");
        q.put("create a classic topic of the name", "/admin/v2/persistent/public/default/one", "");
    }

    private void look() {
        q.get("list", NAMESPACE);
        q.get("list by a property", NAMESPACE + "?property=a=b");
        q.get("list by another value", NAMESPACE + "?property=a=c");
        q.get("list by a property without value", NAMESPACE + "?property=a");
        q.get("list of another namespace", "/admin/v2/scalable/public/none");
        q.get("list of a missing namespace", "/admin/v2/scalable/none/x");
        q.get("metadata", S);
        q.get("metadata of a missing topic", NONE);
        q.get("stats", S + "/stats");
        q.get("stats of a missing topic", NONE + "/stats");
        q.get("a classic topic's list", "/admin/v2/persistent/public/default");
    }

    private void scaling() {
        q.get("scaling of its own, none", S + "/autoScalePolicy");
        q.get("scaling of a missing topic", NONE + "/autoScalePolicy");
        q.post(
                "set scaling",
                S + "/autoScalePolicy",
                "{\"enabled\": false, \"maxSegments\": 7, \"splitMsgRateInThreshold\": 20000.5, \"minSegments\": null}");
        q.get("scaling", S + "/autoScalePolicy");
        q.get("metadata with scaling", S);
        q.post("set scaling that splits what merges", S + "/autoScalePolicy", "{\"splitMsgRateInThreshold\": 12.5}");
        q.post("set scaling below its range", S + "/autoScalePolicy", "{\"splitMsgRateInThreshold\": -5}");
        q.post("set scaling with a bad body", S + "/autoScalePolicy", "no JSON");
        q.post("set scaling of a missing topic", NONE + "/autoScalePolicy", "{\"enabled\": false}");
        q.delete("remove scaling", S + "/autoScalePolicy");
        q.get("scaling once removed", S + "/autoScalePolicy");
        q.delete("remove scaling of a missing topic", NONE + "/autoScalePolicy");
        q.post("set no scaling at all", S + "/autoScalePolicy", "{\"enabled\": false}");
    }

    private void split() {
        q.post("split", S + "/split/0", "");
        q.post("split of a sealed segment", S + "/split/0", "");
        q.post("split of a missing segment", S + "/split/99", "");
        q.post("split of a negative segment", S + "/split/-1", "");
        q.post("split of a word", S + "/split/x", "");
        q.post("split in a missing topic", NONE + "/split/0", "");
        q.get("metadata after a split", S);
    }

    private void merge() {
        q.post("merge of segments that are not neighbours", S + "/merge/2/1", "");
        q.post("merge, upper one first", S + "/merge/3/2", "");
        q.post("merge of sealed segments", S + "/merge/2/3", "");
        q.post("merge with itself", S + "/merge/4/4", "");
        q.post("merge with a missing segment", S + "/merge/4/77", "");
        q.post("merge in a missing topic", NONE + "/merge/0/1", "");
        q.get("metadata after a merge", S);
        q.get("stats after a merge", S + "/stats");
    }

    private void subscriptions() {
        q.put("subscribe a queue", S + "/subscriptions/q?type=QUEUE", "");
        q.put("subscribe a queue again", S + "/subscriptions/q?type=QUEUE", "");
        q.put("subscribe a stream", S + "/subscriptions/stream?type=STREAM", "");
        q.put("subscribe without type", S + "/subscriptions/plain", "");
        q.put("subscribe with another type", S + "/subscriptions/other?type=OTHER", "");
        q.put("subscribe to a missing topic", NONE + "/subscriptions/q?type=QUEUE", "");
        q.get("stats with subscriptions", S + "/stats");
        q.post("seek", S + "/subscriptions/q/seek?timestamp=5", "");
        q.post("seek without a time", S + "/subscriptions/q/seek", "");
        q.post("seek of a missing subscription", S + "/subscriptions/none/seek?timestamp=5", "");
        q.post("seek in a missing topic", NONE + "/subscriptions/none/seek?timestamp=5", "");
        q.post("skip all", S + "/subscriptions/q/skip-all", "");
        q.post("skip all of a missing subscription", S + "/subscriptions/none/skip-all", "");
        q.delete("unsubscribe", S + "/subscriptions/q");
        q.delete("unsubscribe again", S + "/subscriptions/q");
        q.delete("unsubscribe from a missing topic", NONE + "/subscriptions/q");
        q.get("stats without the queue", S + "/stats");
    }

    private void segments() {
        String sealed = SEGMENTS + "/0000-7fff-0";
        String active = SEGMENTS + "/8000-ffff-1";
        String none = SEGMENTS + "/8000-ffff-98";
        q.put("segment: subscribe", active + "/subscription/seg", "");
        q.put("segment: subscribe again", active + "/subscription/seg", "");
        q.put("segment: subscribe to one that is sealed", sealed + "/subscription/seg", "");
        q.get("segment: backlog", active + "/subscription/seg/backlog");
        q.get("segment: backlog of a subscription that is not there", active + "/subscription/none/backlog");
        q.post("segment: seek", active + "/subscription/seg/seek?timestamp=5", "");
        q.post("segment: seek of a subscription that is not there", active + "/subscription/none/seek?timestamp=5", "");
        q.post("segment: skip all", sealed + "/subscription/seg/skip-all", "");
        q.post("segment: skip all of a subscription that is not there", active + "/subscription/none/skip-all", "");
        q.delete("segment: unsubscribe", active + "/subscription/seg");
        q.delete("segment: unsubscribe again", active + "/subscription/seg");
        q.get("segment: backlog of one that is not there", none + "/subscription/seg/backlog");
        q.put("segment: create one that is there", active, "[\"a\", \"b\"]");
        q.get("segment: backlog of a subscription it was created with", active + "/subscription/b/backlog");
        q.put("segment: create one of no name", SEGMENTS + "/nonsense", "[]");
        q.put("segment: create one that is no part of the topic", SEGMENTS + "/0000-7fff-99", "[\"a\"]");
        q.put("segment: create with a bad body", active, "no JSON");
        q.get("segment: stats", active + "/stats");
        q.post("segment: terminate one that is sealed", sealed + "/terminate", "");
        q.post("segment: terminate one that is not there", none + "/terminate", "");
        q.delete("segment: delete one that is active", active);
        q.delete("segment: delete", sealed);
        q.delete("segment: delete again", sealed);
        q.delete("segment: delete one that is not there", none);
        q.put("segment: a topic to terminate in", NAMESPACE + "/t", "");
        q.post("segment: terminate", "/admin/v2/segments/public/default/t/0000-ffff-0/terminate", "");
        q.get("segment: metadata with one that was terminated", NAMESPACE + "/t");
    }

    private void migration() {
        String classic = "/admin/v2/persistent/public/default/";
        q.put("migration: a partitioned topic", classic + "parts/partitions", "2");
        q.post("migrate a partitioned topic", NAMESPACE + "/parts/migrate", "");
        q.get("metadata of a migrated topic", NAMESPACE + "/parts");
        q.get("stats of a migrated topic", NAMESPACE + "/parts/stats");
        q.post("migrate again", NAMESPACE + "/parts/migrate", "");
        q.post("migrate a scalable topic", S + "/migrate", "");
        q.post("migrate a missing topic", NONE + "/migrate", "");
        q.post("migrate a partition", NAMESPACE + "/parts-partition-0/migrate", "");
        q.post("add partitions to a migrated topic", classic + "parts/partitions", "3");
        q.put("migration: a topic", classic + "whole", "");
        q.post("migrate a topic with force", NAMESPACE + "/whole/migrate?force=true", "");
        q.get("metadata of a topic that was migrated with force", NAMESPACE + "/whole");
        q.delete("delete a migrated topic", NAMESPACE + "/whole");
        q.get("classic topics once a migrated one is deleted", classic.substring(0, classic.length() - 1));
        q.delete("delete a migrated topic that was partitioned", NAMESPACE + "/parts?force=true");
        q.get("partitioned topics once a migrated one is deleted", classic + "partitioned");
    }

    private void delete() {
        q.delete("delete", S);
        q.delete("delete again", S);
        q.delete("delete with force what is gone", S + "?force=true");
        q.delete("delete with force", NAMESPACE + "/one?force=true");
        q.get("metadata of what is gone", S);
    }
}
