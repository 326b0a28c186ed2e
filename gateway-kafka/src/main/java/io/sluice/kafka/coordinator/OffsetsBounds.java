package io.sluice.kafka.coordinator;

import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.time.Duration;

/**
 * What an offsets partition holds at one moment.
 *
 * @param start first offset
 * @param sequencedEnd after the last offset handed out; what lies before it may not be durable yet
 */
record OffsetsBounds(long start, long sequencedEnd) {
    static OffsetsBounds of(PartitionLog log, Duration atMost) {
        Question question = new Question(log, new LoopAnswer<>());
        log.container().execute(question);
        return question.answer.await(atMost);
    }

    private record Question(PartitionLog log, LoopAnswer<OffsetsBounds> answer) implements LoopTask {
        @Override
        public void run() {
            answer.answer(new OffsetsBounds(log.startOffset(), log.sequencedEnd()));
        }

        @Override
        public void abandoned(StoreFailure why) {
            answer.fail(CoordinatorErrors.of(why));
        }
    }
}
