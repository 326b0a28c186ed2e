package io.sluice.kafka.fetch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions.Aborted;
import io.sluice.conversion.EntryConversions;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/** The part of a fetch that concerns one container. Rounds run on that container's loop; what is between them is under the fetch's lock. */
final class ContainerFetch implements LoopTask {
    private final FetchRound operation;
    private final SegmentContainer container;
    /** To be read in the next round, in order: those that have not been read, and those that may have more. */
    private final List<Member> open = new ArrayList<>();

    ContainerFetch(FetchRound operation, SegmentContainer container) {
        this.operation = operation;
        this.container = container;
    }

    SegmentContainer container() {
        return container;
    }

    /** Adds a partition to those to be read. Between rounds, or at the beginning of one; {@link #sort} follows. */
    void open(FetchPartition partition, PartitionLog log) {
        open.add(new Member(partition, log));
    }

    void sort() {
        open.sort(Comparator.comparingLong(member -> member.partition.turn()));
    }

    boolean hasOpen() {
        return !open.isEmpty();
    }

    /** Whether a partition is to be read on. Between rounds. */
    boolean mayReadOn() {
        for (Member member : open) {
            if (member.partition.mayReadOn()) {
                return true;
            }
        }
        return false;
    }

    /** One round. */
    @Override
    public void run() {
        boolean filling = operation.isFilling();
        if (!filling) {
            operation.joinChanged(container);
        }
        operation.examined(open.size());
        for (Member member : open) {
            if (filling) {
                member.fill();
            } else if (!member.partition.hasAnswer()) {
                member.read();
            }
        }
        if (!operation.isDecided()) {
            park();
        }
        open.removeIf(member -> member.partition.isCaughtUp());
        operation.partDone();
    }

    @Override
    public void abandoned(StoreFailure why) {
        for (Member member : open) {
            operation.record(member.partition, () -> member.partition.fail(KafkaErrors.toConsumer(why)));
        }
        operation.partDone();
    }

    private void park() {
        boolean counting = operation.minBytes() > 1;
        operation.whileOpen(() -> {
            for (Member member : open) {
                operation.watch(member.partition, member.log);
                LogWatch watch = member.partition.watch();
                if (counting && watch != null) {
                    operation.countWaiting(watch.count());
                }
            }
        });
    }

    private final class Member implements EntriesReply {
        private final FetchPartition partition;
        private final PartitionLog log;
        /** Bytes of the answer that the read under way has for itself. */
        private int granted;

        private boolean looping;
        private boolean again;

        Member(FetchPartition partition, PartitionLog log) {
            this.partition = partition;
            this.log = log;
        }

        void read() {
            boolean[] readable = new boolean[1];
            if (operation.record(partition, () -> readable[0] = look()) && readable[0]) {
                readOn();
            }
        }

        /** Whether there is something to read. What changes from now on is told. */
        private boolean look() {
            operation.watchFromFetchToFetch(partition, log);
            return partition.check(log, operation.isolation());
        }

        /** Reads on if there is more, and room for it that was not there before. */
        void fill() {
            if (!partition.mayReadOn()) {
                return;
            }
            if (partition.wantsMore(log, operation.isolation())) {
                readOn();
            } else {
                partition.setLacking(0);
            }
        }

        /** Reads on while answers come at once; each read counts as under way until it is answered. */
        private void readOn() {
            if (looping) {
                again = true;
                return;
            }
            looping = true;
            do {
                again = false;
                granted = operation.beginRead(partition);
                if (granted == 0) {
                    granted = operation.beginPartialRead(partition, partition.available(log, operation.isolation()));
                }
                if (granted > 0) {
                    log.read(partition.nextOffset(), granted, operation.isolation(), this);
                }
            } while (again);
            looping = false;
        }

        @Override
        public void entries(Entries entries) {
            List<Aborted> aborted = partition.abortedUpTo(entries.nextOffset(), log, operation.isolation());
            if (entries.format() == EntryFormat.KAFKA_V2) {
                take(entries, aborted);
            } else {
                operation
                        .conversions()
                        .toKafka(
                                new EntryConversions.Place(log.topicId(), log.partitionId()),
                                entries.bytes(),
                                new EarlierReads(log),
                                granted,
                                new Converted(aborted));
            }
        }

        private void take(Entries batches, List<Aborted> aborted) {
            operation.readEnded(granted);
            if (!operation.record(partition, () -> partition.found(batches, aborted))) {
                batches.bytes().release();
            } else if (partition.wantsMore(log, operation.isolation())) {
                readOn();
            }
            operation.partDone();
        }

        /** Comes back to the loop with what a Pulsar client wrote; the read is under way until then. */
        private final class Converted implements EntryConversions.Reply {
            private final List<Aborted> aborted;

            Converted(List<Aborted> aborted) {
                this.aborted = aborted;
            }

            @Override
            public void converted(ByteBuf bytes, long nextOffset) {
                container.execute(LoopTask.of(
                        () -> take(new Entries(bytes, EntryFormat.KAFKA_V2, nextOffset), aborted), why -> {
                            bytes.release();
                            Member.this.failed(why);
                        }));
            }

            @Override
            public void failed() {
                container.execute(LoopTask.of(() -> failedBecause(Errors.UNKNOWN_SERVER_ERROR), Member.this::failed));
            }
        }

        @Override
        public void atEnd() {
            operation.readEnded(granted);
            operation.partDone();
        }

        @Override
        public void outOfRange(long startOffset, long endOffset) {
            operation.readEnded(granted);
            operation.record(partition, () -> partition.outOfRange(startOffset, endOffset));
            operation.partDone();
        }

        @Override
        public void failed(StoreFailure why) {
            failedBecause(KafkaErrors.toConsumer(why));
        }

        private void failedBecause(Errors why) {
            operation.readEnded(granted);
            operation.record(partition, () -> partition.failUnlessFound(why));
            operation.partDone();
        }
    }
}
