package io.sluice.kafka.fuzz;

import io.sluice.kafka.RawClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.Utils;

/** A client that behaves: it writes a record, reads it back, and at last reads everything it wrote. */
final class Neighbour implements AutoCloseable {
    static final String TOPIC = "neighbour";
    private static final short PRODUCE = 9;
    private static final short FETCH = 11;
    private static final int PAUSE_MILLIS = 3;

    private final RawClient client;
    private long written;

    Neighbour(int port) throws IOException {
        client = new RawClient(port);
    }

    private static String value(long number) {
        return "record " + number;
    }

    void roundTrip() throws IOException {
        var partition = new ProduceRequestData.PartitionProduceData()
                .setIndex(0)
                .setRecords(MemoryRecords.withRecords(
                        Compression.NONE, new SimpleRecord(value(written).getBytes())));
        var topic = new ProduceRequestData.TopicProduceData().setName(TOPIC).setPartitionData(List.of(partition));
        var request = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(20_000);
        request.topicData().add(topic);
        var answer = new ProduceResponseData(client.call(ApiKeys.PRODUCE, PRODUCE, request), PRODUCE);
        var appended = answer.responses().iterator().next().partitionResponses().getFirst();
        check(appended.errorCode() == 0 && appended.baseOffset() == written, "written " + written + ": " + appended);
        List<String> read = read(written, 0);
        check(read.equals(List.of(value(written))), "read " + read + " at " + written);
        written++;
        check(read(written, PAUSE_MILLIS).isEmpty(), "something behind the end");
    }

    /** Everything that was written is there. */
    void readAll() throws IOException {
        List<String> all = new ArrayList<>();
        while (all.size() < written) {
            List<String> more = read(all.size(), 0);
            check(!more.isEmpty(), "nothing at " + all.size() + " of " + written);
            all.addAll(more);
        }
        for (int i = 0; i < written; i++) {
            check(all.get(i).equals(value(i)), "read " + all.get(i) + " at " + i);
        }
        check(all.size() == written, all.size() + " records, not " + written);
    }

    private List<String> read(long offset, int waitMillis) throws IOException {
        var partition = new FetchRequestData.FetchPartition()
                .setPartition(0)
                .setFetchOffset(offset)
                .setPartitionMaxBytes(1 << 20);
        var request = new FetchRequestData()
                .setMaxWaitMs(waitMillis)
                .setMinBytes(1)
                .setMaxBytes(1 << 20)
                .setSessionEpoch(-1)
                .setTopics(List.of(
                        new FetchRequestData.FetchTopic().setTopic(TOPIC).setPartitions(List.of(partition))));
        var answer = new FetchResponseData(client.call(ApiKeys.FETCH, FETCH, request), FETCH);
        var found = answer.responses().getFirst().partitions().getFirst();
        check(answer.errorCode() == 0 && found.errorCode() == 0, "read at " + offset + ": " + answer);
        List<String> values = new ArrayList<>();
        for (Record record : ((MemoryRecords) found.records()).records()) {
            if (record.offset() >= offset) {
                ByteBuffer value = record.value();
                values.add(Utils.utf8(value));
            }
        }
        return values;
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
