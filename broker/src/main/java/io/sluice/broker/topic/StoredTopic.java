package io.sluice.broker.topic;

import java.io.IOException;
import java.util.List;

/** A topic's record, to look at. */
public final class StoredTopic {
    private StoredTopic() {}

    /** Where the metadata has them, by tenant and namespace. */
    public static boolean isPath(String path) {
        return path.startsWith(TopicStore.ROOT + "/");
    }

    /**
     * The topic, with those of its partitions that are in use: none while it is being deleted.
     *
     * @throws IOException the bytes are not a topic's record, or a newer server wrote it
     */
    public static Topic decode(byte[] bytes) throws IOException {
        try {
            TopicRecord record = TopicRecord.decode(bytes);
            return record.deleting() ? record.topic().withPartitions(List.of()) : record.activeTopic();
        } catch (RuntimeException e) {
            throw new IOException("not a topic's record: " + e.getMessage(), e);
        }
    }
}
