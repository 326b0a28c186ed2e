package io.sluice.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.store.container.ContainerConfig;
import io.sluice.store.container.MemoryShare;
import io.sluice.transactions.TransactionSettings;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryBudgetTest {
    private static final long MIB = 1 << 20;

    /** In flight or being filled, each is a buffer of the full size; and the bookie must have room for all of them. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 16, 64, 100, 1024})
    void theFramesOfAllContainersFitTheirBudgetAndTheBookie(int containers) {
        for (long total : new long[] {MemoryBudget.LEAST, 777 * MIB, 1024 * MIB, 2048 * MIB, 64L << 30}) {
            var budget = new MemoryBudget(total);
            ContainerConfig.Log log = budget.frames(ContainerConfig.Log.DEFAULT, containers);
            long buffers = containers * (log.maxInFlightFrames() + 1L) * log.frameBytes();
            assertThat(buffers).isLessThanOrEqualTo(budget.frameBytes());
            assertThat((long) log.maxInFlightBytes())
                    .isLessThanOrEqualTo((long) log.maxInFlightFrames() * log.frameBytes());
            assertThat(containers * (long) log.maxInFlightBytes()).isLessThan(budget.bookieBytes());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {512, 777, 1024, 2048, 65_536})
    void sharesOfAnyNumberFitTheirBudget(long mebibytes) {
        var budget = new MemoryBudget(mebibytes * MIB);
        for (int containers = 1; containers <= Math.min(1024, budget.mostContainersOpened()); containers++) {
            MemoryShare share = budget.share(ContainerConfig.Log.DEFAULT, containers);
            assertThat(containers * share.cacheBytes()).isLessThanOrEqualTo(budget.cacheBytes());
            assertThat(containers * share.readAheadBytes()).isLessThanOrEqualTo(budget.readAheadBytes());
            // the cache holds two of the largest appends, each entry of which may leave a block part-filled
            long append = share.maxAppendBytes() + (share.maxAppendBytes() / (256 << 10) + 2L) * 4096;
            assertThat(share.cacheBytes()).isGreaterThanOrEqualTo(2 * append);
            assertThat(share.maxAppendBytes() >= MIB || containers > budget.mostContainers())
                    .isTrue();
        }
    }

    /** The heap is a quarter, and batches are decompressed in half of what requests may take. */
    @ParameterizedTest
    @ValueSource(longs = {512, 777, 1024, 65_536})
    void thePartsAreNoMoreThanTheWhole(long mebibytes) {
        var budget = new MemoryBudget(mebibytes * MIB);
        long requests = budget.inFlightRequestBytes();
        long parts = budget.totalBytes() / 4
                + budget.cacheBytes()
                + requests
                + requests / 2
                + budget.frameBytes()
                + budget.readAheadBytes()
                + budget.bookieBytes();
        assertThat(parts).isLessThan(budget.totalBytes());
    }

    @ParameterizedTest
    @CsvSource({"512, 2", "1024, 2", "2048, 2", "2048, 8"})
    void fewContainersHaveLargeFrames(long mebibytes, int containers) {
        ContainerConfig.Log log = new MemoryBudget(mebibytes * MIB).frames(ContainerConfig.Log.DEFAULT, containers);
        assertThat(log).isEqualTo(ContainerConfig.Log.DEFAULT);
    }

    @ParameterizedTest
    @CsvSource({"512, 26214", "2048, 104857", "65536, 1000000"})
    void transactionalIdsFitTheirPart(long mebibytes, int ids) {
        long part = new MemoryBudget(mebibytes * MIB).transactionBytes();
        assertThat(TransactionSettings.within(part).maxIds()).isEqualTo(ids);
    }
}
