package io.sluice.store.sim;

import io.netty.buffer.ByteBuf;

/** A read gives the bytes that were appended, in their order, and none that are not durable. */
final class ReadsAreWhatWasAppended implements Checker {
    @Override
    public void read(SimOwner owner, SimSegment segment, long position, ByteBuf data) {
        int next = 0;
        while (next < data.readableBytes()) {
            SimAppend append = segment.holding(position + next);
            if (append == null || append.end() > segment.length) {
                throw new Violation(
                        getClass(),
                        "segment " + segment.id + " has bytes at " + (position + next) + " that were not appended");
            }
            long within = position + next - append.position();
            for (; within < append.length() && next < data.readableBytes(); within++, next++) {
                if (data.getByte(data.readerIndex() + next) != append.at(within)) {
                    throw new Violation(
                            getClass(), "segment " + segment.id + " has a wrong byte at " + (position + next));
                }
            }
        }
    }
}
