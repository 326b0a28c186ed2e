package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;

/** Steps about the end of a partition that takes no more messages. */
public enum PartitionEnd implements PartitionStep<Boolean> {
    /** Asks whether it was terminated; waits for a termination that is under way. */
    IS_TERMINATED(1) {
        @Override
        public void ask(PartitionLog log, Answer<Boolean> answer) {
            log.container().barrier(Durable.of(() -> answer.complete(log.isTerminated()), answer::fail));
        }
    },
    /**
     * Asks whether there is nothing in it, durably and for ever: it was terminated, and retention, which leaves what a subscription has
     * not acknowledged, has taken all.
     */
    IS_SPENT(2) {
        @Override
        public void ask(PartitionLog log, Answer<Boolean> answer) {
            boolean spent = log.isTerminated() && log.startOffset() == log.sequencedEnd();
            if (spent) {
                log.container().barrier(answer.onceDurable(true));
            } else {
                answer.complete(false);
            }
        }
    },
    /** Terminates it. */
    TERMINATE(3) {
        @Override
        public boolean makesPartition() {
            return true;
        }

        @Override
        public void ask(PartitionLog log, Answer<Boolean> answer) {
            log.createIfMissing().terminate(answer.onceDurable(true));
        }
    };

    private final byte code;

    PartitionEnd(int code) {
        this.code = (byte) code;
    }

    @Override
    public byte code() {
        return code;
    }

    @Override
    public boolean makesPartition() {
        return false;
    }

    @Override
    public Boolean ofUnmade() {
        return false;
    }

    @Override
    public void write(ByteBuf out) {}

    @Override
    public void writeResult(Boolean result, ByteBuf out) {
        out.writeBoolean(result);
    }

    @Override
    public Boolean readResult(ByteBuf in) {
        return in.readBoolean();
    }
}
