package io.sluice.kafka.fetch;

import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.kafka.api.ErrorMapping;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The part of a fetch that concerns one container; all of it runs on that container's loop. */
final class ContainerFetch implements LoopTask {
    private final FetchOperation operation;
    private final SegmentContainer container;
    private final List<Member> members = new ArrayList<>();
    private volatile boolean parked;
    private volatile long waitingBytes;

    ContainerFetch(FetchOperation operation, SegmentContainer container) {
        this.operation = operation;
        this.container = container;
    }

    SegmentContainer container() {
        return container;
    }

    void add(FetchPartition partition, PartitionLog log) {
        members.add(new Member(partition, log));
    }

    long waitingBytes() {
        return waitingBytes;
    }

    /** Whether a partition is to be read on. Between rounds. */
    boolean mayReadOn() {
        for (Member member : members) {
            if (member.partition.mayReadOn()) {
                return true;
            }
        }
        return false;
    }

    /** One round. */
    @Override
    public void run() {
        unpark();
        boolean filling = operation.isFilling();
        for (Member member : members) {
            if (filling) {
                member.fill();
            } else if (!member.partition.hasAnswer()) {
                member.read();
            }
        }
        if (!operation.isDecided()) {
            park();
        }
        operation.partDone();
    }

    @Override
    public void abandoned(StoreFailure why) {
        for (Member member : members) {
            operation.record(member.partition, () -> member.partition.fail(ErrorMapping.toConsumer(why)));
        }
        operation.partDone();
    }

    private void park() {
        parked = true;
        for (Member member : members) {
            member.await();
        }
        countWaiting();
        if (operation.isCompleted()) {
            unpark(); // answered meanwhile, by one that did not see this parked
        }
    }

    private void countWaiting() {
        if (operation.minBytes() > 1) {
            long bytes = 0;
            for (Member member : members) {
                bytes += member.log.bytesAfter(member.partition.offset());
            }
            waitingBytes = bytes;
        }
    }

    private void unpark() {
        if (parked) {
            parked = false;
            members.forEach(Member::cancel);
        }
    }

    /** The fetch is answered: nobody waits any more. Any thread. */
    void letGo() {
        if (!parked) {
            return;
        }
        if (container.onLoop()) {
            unpark();
            return;
        }
        container.execute(new LoopTask() {
            @Override
            public void run() {
                unpark();
            }

            @Override
            public void abandoned(StoreFailure why) {}
        });
    }

    private final class Member implements EntriesReply, PartitionLog.TailWaiter {
        private final FetchPartition partition;
        private final PartitionLog log;
        private PartitionLog.@Nullable Waiting waiting;
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
            if (operation.record(partition, () -> readable[0] = partition.check(log, operation.isolation()))
                    && readable[0]) {
                readOn();
            }
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

        void await() {
            if (waiting == null) {
                Isolation isolation = operation.isolation();
                waiting = log.await(log.readableEnd(isolation), isolation, this);
            }
        }

        void cancel() {
            PartitionLog.Waiting w = waiting;
            waiting = null;
            if (w != null) {
                w.cancel();
            }
        }

        @Override
        public void entries(Entries entries) {
            operation.readEnded(granted);
            if (!operation.record(partition, () -> partition.found(entries, log, operation.isolation()))) {
                entries.bytes().release();
            } else if (partition.wantsMore(log, operation.isolation())) {
                readOn();
            }
            operation.partDone();
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
            operation.readEnded(granted);
            operation.record(partition, () -> partition.failUnlessFound(ErrorMapping.toConsumer(why)));
            operation.partDone();
        }

        @Override
        public void moreToRead() {
            waiting = null;
            if (operation.isCompleted()) {
                return;
            }
            countWaiting();
            if (operation.minBytes() <= 1 || operation.isEnough()) {
                operation.trigger(ContainerFetch.this);
            } else {
                await();
            }
        }

        @Override
        public void closed(StoreFailure why) {
            waiting = null;
            operation.lost(partition, ErrorMapping.toConsumer(why));
        }
    }
}
