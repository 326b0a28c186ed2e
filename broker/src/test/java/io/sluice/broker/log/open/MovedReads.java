package io.sluice.broker.log.open;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.InMemoryContainers;
import java.util.Map;

/** Reads of a partition that may move away meanwhile. */
final class MovedReads {
    private final InMemoryContainers containers;

    MovedReads(InMemoryContainers containers) {
        this.containers = containers;
    }

    /** Gives where to go on; -1 if the partition moved away meanwhile. */
    long read(PartitionLog log, long offset, int maxBytes, Map<Long, Long> into) {
        Answers answers = new Answers();
        log.read(offset, maxBytes, Isolation.UNCOMMITTED, answers);
        for (int turns = 0; turns < 10_000; turns++) {
            String answer = answers.next();
            if (answer == null) {
                containers.doWork();
            } else if (answer.startsWith("entries")) {
                take(answers.lastRead(), into);
                return answers.nextOffset();
            } else if (answer.startsWith("failed NotOwner") || answer.startsWith("out of range")) {
                return -1;
            } else {
                throw new AssertionError("a read at " + offset + " was answered " + answer);
            }
        }
        throw new AssertionError("a read at " + offset + " was not answered");
    }

    /** Of each entry, by its offset, the producer and its sequence number. */
    static void take(ByteBuf entries, Map<Long, Long> into) {
        for (int at = 0; at < entries.readableBytes(); at += EntryHeader.size(entries, at)) {
            long what = (EntryHeader.producerId(entries, at) << 32) + EntryHeader.baseSequence(entries, at);
            if (into.put(EntryHeader.baseOffset(entries, at), what) != null) {
                throw new AssertionError("offset " + EntryHeader.baseOffset(entries, at) + " is there twice");
            }
        }
    }
}
