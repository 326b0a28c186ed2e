package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.format.StoredEntry;
import io.sluice.pulsar.wire.MessageFrames;
import io.sluice.pulsar.wire.MessageFrames.MessageHead;

/** Sends entries of one subscription to the consumers that get them, small ones together, and counts them. Loop only. */
final class EntrySender {
    /** Small messages for one consumer are copied together up to about this many bytes. */
    private static final int GATHER_UP_TO = 16 * 1024;

    private final DispatchContext context;
    private final PartitionLog log;
    private final Outstanding outstanding;
    private final SubscriptionTraffic traffic;
    private final DispatchGate gate;

    EntrySender(
            DispatchContext context,
            PartitionLog log,
            Outstanding outstanding,
            SubscriptionTraffic traffic,
            DispatchGate gate) {
        this.context = context;
        this.log = log;
        this.outstanding = outstanding;
        this.traffic = traffic;
        this.gate = gate;
    }

    /** @param at where in {@code entries} the entry begins */
    void send(Consumer to, ByteBuf entries, int at, Delivered d) {
        int body = StoredEntry.body(entries, at);
        int length = EntryHeader.size(entries, at) - body;
        long[] ackSet = outstanding.ackSetOf(d);
        int partition = context.place().partition();
        MessageHead head = new MessageHead(to.id(), log.ledgerAt(d.base), d.base, partition, d.redelivered, to.epoch);
        to.permits -= d.unacked;
        to.delivered(d.unacked, length, d.redelivered > 0);
        to.times.sent(context.place().now());
        context.traffic().add(traffic, d.unacked, length);
        gate.sent(length);
        if (MessageFrames.isSmall(length)) {
            ByteBuf out = to.gathering(context.frames());
            context.frames().append(head, entries, at + body, length, ackSet, out);
            if (out.readableBytes() > GATHER_UP_TO) {
                to.sendGathered();
            }
        } else {
            to.sendGathered();
            to.outlet().send(context.frames().encode(head, entries, at + body, length, ackSet));
        }
    }
}
