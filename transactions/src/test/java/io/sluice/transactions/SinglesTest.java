package io.sluice.transactions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Single transactions of one shard whose log takes everything, or nothing. */
class SinglesTest {
    private static final int REMEMBERED = 10_000;

    private final Log log = new Log();
    private final TransactionShard shard = new TransactionShard(
            log, (partition, marker, done) -> done.accept(Markers.Fate.WRITTEN), () -> 1_000_000, 1, () -> true);

    private static final class Log implements StateLog {
        private boolean refuses;
        private int refused;

        @Override
        public void append(ByteBuffer key, @Nullable ByteBuffer value, Written written) {
            if (refuses) {
                refused++;
                written.refused(TransactionError.NOT_COORDINATOR);
            } else {
                written.durable();
            }
        }
    }

    private void beginAndEnd(int number) {
        var transaction = new SingleTransaction(0, number);
        shard.singles().begin(transaction, 60_000, Singles.Ending.NOBODY);
        shard.endSingle(transaction.id(), true, Singles.Ending.NOBODY);
    }

    /** As while the state partition moves. */
    @Test
    void aLogThatRefusesAtOnceIsNotAskedAgainAndAgain() {
        for (int n = 0; n < REMEMBERED + 50; n++) {
            beginAndEnd(n);
        }
        log.refuses = true;
        assertTimeoutPreemptively(Duration.ofSeconds(30), () -> shard.singles().forgetEnded());
        assertThat(log.refused).isEqualTo(1);
        assertThat(shard.size()).isEqualTo(REMEMBERED + 50);
        log.refuses = false;
        shard.singles().forgetEnded();
        assertThat(shard.size()).isEqualTo(REMEMBERED);
    }
}
