package io.sluice.kafka.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionLog.OffsetAndTime;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.kafka.format.RecordLookup;
import io.sluice.store.segment.StoreFailure;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsPartition;
import org.apache.kafka.common.message.ListOffsetsRequestData.ListOffsetsTopic;
import org.apache.kafka.common.message.ListOffsetsResponseData;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsPartitionResponse;
import org.apache.kafka.common.message.ListOffsetsResponseData.ListOffsetsTopicResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ListOffsetsRequest;

/**
 * ListOffsets, versions 1-11: earliest, latest, largest timestamp, by timestamp.
 *
 * <p>A partition that is named twice is answered once, INVALID_REQUEST.
 *
 * <p>By timestamp, the exact record is looked up inside its batch, compressed or not. Differences from Kafka: all of a
 * partition is one log to its clients, so "earliest local" is the earliest, and "latest tiered" and "earliest pending
 * upload" are answered as Kafka does without tiered storage (-1). A Pulsar entry is answered by its first message.
 */
public final class ListOffsetsHandler implements ApiHandler {
    /** Bytes to read around an offset; one entry comes whole, whatever its size. */
    private static final int ONE_ENTRY = 1;

    private static final int FIRST_WITH_EPOCHS = 4;

    private final KafkaServices services;

    public ListOffsetsHandler(KafkaServices services) {
        this.services = services;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.LIST_OFFSETS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        ListOffsetsRequestData asked = (ListOffsetsRequestData) request.data();
        ListOffsetsResponseData answer = new ListOffsetsResponseData();
        Isolation isolation = Isolations.of(asked.isolationLevel());
        PartitionWork work = new PartitionWork(services, () -> context.complete(answer));
        Set<TopicPartition> doubled = ((ListOffsetsRequest) request).duplicatePartitions();
        Set<TopicPartition> refused = new HashSet<>();
        for (ListOffsetsTopic topicAsked : asked.topics()) {
            TopicLookup topic = services.access().find(context.principal(), Operation.DESCRIBE, topicAsked.name());
            ListOffsetsTopicResponse topicAnswer = new ListOffsetsTopicResponse().setName(topicAsked.name());
            for (ListOffsetsPartition partition : topicAsked.partitions()) {
                TopicPartition which = new TopicPartition(topicAsked.name(), partition.partitionIndex());
                boolean twice = doubled.contains(which) && !(topic instanceof TopicLookup.Denied);
                if (twice && !refused.add(which)) {
                    continue;
                }
                ListOffsetsPartitionResponse slot =
                        new ListOffsetsPartitionResponse().setPartitionIndex(partition.partitionIndex());
                topicAnswer.partitions().add(slot);
                Lookup lookup = new Lookup(partition, slot, isolation, context.version());
                if (twice) {
                    lookup.fail(Errors.INVALID_REQUEST);
                } else {
                    work.add(topic, partition.partitionIndex(), lookup);
                }
            }
            if (!topicAnswer.partitions().isEmpty()) {
                answer.topics().add(topicAnswer);
            }
        }
        work.start();
    }

    private final class Lookup implements PartitionWork.Question {
        private final ListOffsetsPartition asked;
        private final ListOffsetsPartitionResponse answer;

        private final Isolation isolation;
        private final short version;

        Lookup(ListOffsetsPartition asked, ListOffsetsPartitionResponse answer, Isolation isolation, short version) {
            this.asked = asked;
            this.answer = answer;
            this.isolation = isolation;
            this.version = version;
        }

        @Override
        public void ask(PartitionLog log, Runnable done) {
            Errors epoch = PartitionWork.checkEpoch(log, asked.currentLeaderEpoch());
            if (epoch != Errors.NONE) {
                fail(epoch);
                done.run();
                return;
            }
            long timestamp = asked.timestamp();
            if (timestamp < 0 && version < firstVersionOf(timestamp)) {
                fail(Errors.UNSUPPORTED_VERSION);
                done.run();
                return;
            }
            if (version >= FIRST_WITH_EPOCHS) {
                answer.setLeaderEpoch(log.leaderEpoch());
            }
            if (timestamp == ListOffsetsRequest.LATEST_TIMESTAMP) {
                answer.setOffset(log.readableEnd(isolation));
            } else if (timestamp == ListOffsetsRequest.EARLIEST_TIMESTAMP
                    || timestamp == ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP) {
                answer.setOffset(log.startOffset());
            } else if (timestamp == ListOffsetsRequest.MAX_TIMESTAMP) {
                newest(log, done);
                return;
            } else if (timestamp >= 0) {
                byTime(log, timestamp, done);
                return;
            } else {
                nothing(); // latest tiered, earliest pending upload
            }
            done.run();
        }

        /** First version of the API with the given special timestamp. */
        private static int firstVersionOf(long question) {
            if (question >= ListOffsetsRequest.EARLIEST_TIMESTAMP) {
                return 0;
            }
            return switch ((int) Math.max(question, Integer.MIN_VALUE)) {
                case (int) ListOffsetsRequest.MAX_TIMESTAMP -> 7;
                case (int) ListOffsetsRequest.EARLIEST_LOCAL_TIMESTAMP -> 8;
                case (int) ListOffsetsRequest.LATEST_TIERED_TIMESTAMP -> 9;
                case (int) ListOffsetsRequest.EARLIEST_PENDING_UPLOAD_TIMESTAMP -> 11;
                default -> Integer.MAX_VALUE;
            };
        }

        private void newest(PartitionLog log, Runnable done) {
            OffsetAndTime base = log.latestTimestamp();
            if (base.offset() < 0) {
                nothing();
                done.run();
                return;
            }
            log.read(base.offset(), ONE_ENTRY, isolation, new Inside(done, base, base.offset()) {
                @Override
                OffsetAndTime lookIn(Entries entries) {
                    OffsetAndTime exact = RecordLookup.newestOfFirstBatch(entries.bytes());
                    return exact == null ? base : exact;
                }
            });
        }

        private void byTime(PartitionLog log, long timestamp, Runnable done) {
            log.offsetAtTime(timestamp, new PartitionLog.TimeReply() {
                @Override
                public void found(OffsetAndTime base) {
                    if (base.offset() < 0) {
                        nothing();
                        done.run();
                        return;
                    }
                    lookInside(log, base, timestamp, done);
                }

                @Override
                public void failed(StoreFailure why) {
                    fail(KafkaErrors.toConsumer(why));
                    done.run();
                }
            });
        }

        private void lookInside(PartitionLog log, OffsetAndTime base, long timestamp, Runnable done) {
            // The entry may begin before what was deleted: only what is left may be answered.
            long from = Math.max(base.offset(), log.startOffset());
            log.read(from, ONE_ENTRY, isolation, new Inside(done, base, from) {
                @Override
                OffsetAndTime lookIn(Entries entries) {
                    OffsetAndTime exact = RecordLookup.firstAtOrAfter(entries.bytes(), from, timestamp);
                    return exact == null ? base : exact;
                }
            });
        }

        private void nothing() {
            answer.setLeaderEpoch(-1);
        }

        @Override
        public void fail(Errors error) {
            answer.setErrorCode(error.code()).setLeaderEpoch(-1).setOffset(-1);
        }

        /** Looks into one entry, away from the loop: it may have to be decompressed. */
        private abstract class Inside implements EntriesReply {
            private final Runnable done;
            private final OffsetAndTime base;
            private final long from;

            /** @param from where the read begins */
            Inside(Runnable done, OffsetAndTime base, long from) {
                this.done = done;
                this.base = base;
                this.from = from;
            }

            abstract OffsetAndTime lookIn(Entries entries);

            /** All messages of a Pulsar entry have its publish time, by which it was found. */
            private OffsetAndTime wholeEntry() {
                return new OffsetAndTime(Math.max(base.offset(), from), base.timestamp());
            }

            @Override
            public void entries(Entries entries) {
                services.blocking().execute(() -> {
                    try {
                        OffsetAndTime exact = entries.format() == EntryFormat.KAFKA_V2 ? lookIn(entries) : wholeEntry();
                        answer.setOffset(exact.offset()).setTimestamp(exact.timestamp());
                    } catch (RuntimeException e) {
                        fail(Errors.CORRUPT_MESSAGE); // bytes that a producer compressed wrongly
                    } finally {
                        entries.bytes().release();
                        done.run();
                    }
                });
            }

            @Override
            public void atEnd() {
                nothing();
                done.run();
            }

            @Override
            public void outOfRange(long startOffset, long endOffset) {
                nothing();
                done.run();
            }

            @Override
            public void failed(StoreFailure why) {
                fail(KafkaErrors.toConsumer(why));
                done.run();
            }
        }
    }
}
