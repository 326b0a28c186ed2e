package io.sluice.pulsar.answers;

/** Topics: create, look up, list, change, delete. */
final class TopicQuestions {
    private static final String APP = "/admin/v2/persistent/acme/app";
    private static final String LOOKUP = "/lookup/v2/topic/persistent/acme/app";

    private final Questions q;

    TopicQuestions(Questions q) {
        this.q = q;
    }

    void ask() {
        create();
        createPartitioned();
        lists();
        metadata();
        lookups();
        change();
        delete();
    }

    private void create() {
        q.put("create topic", APP + "/t", "");
        q.put("create topic again", APP + "/t", "");
        q.put("create topic with properties", APP + "/described", "{\"owner\": \"me\"}");
        q.put("create topic in a missing namespace", "/admin/v2/persistent/acme/nowhere/t", "");
        q.put("create topic of a missing tenant", "/admin/v2/persistent/nobody/x/t", "");
        q.put("create topic in a bad namespace", "/admin/v2/persistent/acme/a,b/t", "");
        q.put("create topic of a partition's name", APP + "/t-partition-3", "");
        q.put("create topic of an empty name", APP + "/%20", "");
    }

    private void createPartitioned() {
        q.put("create partitioned topic", APP + "/p/partitions", "2");
        q.put("create partitioned topic again", APP + "/p/partitions", "2");
        q.put("create partitioned topic of a topic's name", APP + "/t/partitions", "3");
        q.put("create topic of a partitioned topic's name", APP + "/p", "");
        q.put("create topic with no partitions", APP + "/p0/partitions", "0");
        q.put("create topic with fewer than no partitions", APP + "/p0/partitions", "-1");
        q.put("create topic with a word for partitions", APP + "/p0/partitions", "\"three\"");
        q.put("create topic with a bad body for partitions", APP + "/p0/partitions", "no JSON");
        q.put("create topic without partitions", APP + "/p0/partitions", "");
        q.put("create partitioned topic of a partition's name", APP + "/p-partition-3/partitions", "2");
        q.put("create partitioned topic in a missing namespace", "/admin/v2/persistent/acme/nowhere/p/partitions", "2");
        q.put("create partitioned topic of a missing tenant", "/admin/v2/persistent/nobody/x/p/partitions", "2");
    }

    private void lists() {
        q.get("topics", APP);
        q.get("partitioned topics", APP + "/partitioned");
        q.get("topics of the namespace", "/admin/v2/namespaces/acme/app/topics");
        q.get("persistent topics of the namespace", "/admin/v2/namespaces/acme/app/topics?mode=PERSISTENT");
        q.get("non-persistent topics of the namespace", "/admin/v2/namespaces/acme/app/topics?mode=NON_PERSISTENT");
        q.get("non-persistent topics", "/admin/v2/non-persistent/acme/app");
        q.get("non-persistent partitioned topics", "/admin/v2/non-persistent/acme/app/partitioned");
        q.get("topics in a missing namespace", "/admin/v2/persistent/acme/none");
        q.get("partitioned topics in a missing namespace", "/admin/v2/persistent/acme/none/partitioned");
        q.get("topics in a bad namespace", "/admin/v2/persistent/acme/a,b");
        q.get("partitioned topics in a bad namespace", "/admin/v2/persistent/acme/a,b/partitioned");
    }

    private void metadata() {
        q.get("partitions of a partitioned topic", APP + "/p/partitions");
        q.get("partitions of a topic", APP + "/t/partitions");
        q.get("partitions of a partition", APP + "/p-partition-0/partitions");
        q.get("partitions of a missing topic", APP + "/none/partitions");
        q.get("partitions of a missing topic that may be created", APP + "/new/partitions?checkAllowAutoCreation=true");
        q.get("partitions of a missing partition", APP + "/p-partition-7/partitions");
        q.get("partitions in a missing namespace", "/admin/v2/persistent/acme/none/t/partitions");
        q.get("partitions of a missing tenant", "/admin/v2/persistent/none/x/t/partitions");
        q.get("partitions of a bad name", "/admin/v2/persistent/acme/a,b/t/partitions");
        q.get("properties", APP + "/t/properties");
        q.get("properties of a partitioned topic", APP + "/p/properties");
        q.get("properties of a missing topic", APP + "/none/properties");
    }

    private void lookups() {
        q.get("look-up of a topic", LOOKUP + "/t");
        q.get("look-up of a partitioned topic", LOOKUP + "/p");
        q.get("look-up of a partition", LOOKUP + "/p-partition-1");
        q.get("look-up of a missing partition", LOOKUP + "/p-partition-7");
        q.get("look-up of a missing topic", LOOKUP + "/none");
        q.get("look-up in a missing namespace", "/lookup/v2/topic/persistent/acme/none/t");
        q.get("look-up of a missing tenant", "/lookup/v2/topic/persistent/none/x/t");
        q.get("look-up of a bad name", "/lookup/v2/topic/persistent/acme/a,b/t");
        q.get("look-up by a missing listener", LOOKUP + "/t?listenerName=none");
        q.get("look-up of a non-persistent topic", "/lookup/v2/topic/non-persistent/acme/app/t");
        q.get("look-up of no kind of topic", "/lookup/v2/topic/nothing/acme/app/t");
    }

    private void change() {
        q.post("more partitions", APP + "/p/partitions", "3");
        q.post("fewer partitions", APP + "/p/partitions", "2");
        q.post("as many partitions", APP + "/p/partitions", "3");
        q.post("no partitions", APP + "/p/partitions", "0");
        q.post("partitions for a topic without", APP + "/t/partitions", "4");
        q.post("partitions for a missing topic", APP + "/none/partitions", "4");
        q.get("more partitions are there", APP + "/p/partitions");
        q.post("create missed partitions", APP + "/p/createMissedPartitions", "");
        q.post("create missed partitions of a topic without", APP + "/t/createMissedPartitions", "");
        q.post("create missed partitions of a missing topic", APP + "/none/createMissedPartitions", "");
    }

    private void delete() {
        q.put("create topic to delete", APP + "/gone", "");
        q.put("create partitioned topic to delete", APP + "/pgone/partitions", "2");
        q.delete("delete partitioned topic as a topic", APP + "/pgone");
        q.delete("delete topic as a partitioned topic", APP + "/gone/partitions");
        q.delete("delete topic", APP + "/gone");
        q.delete("delete topic again", APP + "/gone");
        q.delete("delete partition", APP + "/pgone-partition-1");
        q.delete("delete partitioned topic", APP + "/pgone/partitions");
        q.delete("delete partitioned topic again", APP + "/pgone/partitions");
        q.delete("delete topic in a missing namespace", "/admin/v2/persistent/acme/none/t");
        q.delete("delete topic of a bad name", "/admin/v2/persistent/acme/a,b/t");
    }
}
