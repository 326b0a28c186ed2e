package io.sluice.store.container;

import static io.sluice.store.container.ContainerRig.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.cache.CacheConfig;
import io.sluice.store.pressure.PressureConfig;
import io.sluice.store.read.ReadConfig;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.tier.InMemoryTier;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A container's share of the memory changes while it serves. */
class ContainerMemoryTest {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;
    private static final int APPEND = 100 * KIB;

    private final ContainerRig rig = new ContainerRig();
    private boolean flushing;

    ContainerMemoryTest() {
        rig.config = new ContainerConfig(
                log(64 * KIB), 256 * KIB, 2_000_000, 1_000_000, PressureConfig.DEFAULT, ReadConfig.DEFAULT);
        rig.cacheConfig = new CacheConfig(16 * MIB, 32 * MIB);
        rig.tierFaults = new InMemoryTier.Faults() {
            @Override
            public boolean flush(long untiered, double pressure) {
                return flushing && untiered > 0;
            }
        };
    }

    private static ContainerConfig.Log log(int frame) {
        return new ContainerConfig.Log(frame, 4, 4 * frame, 8 * MIB, 64 * MIB);
    }

    @AfterEach
    void stop() {
        rig.close();
    }

    @Test
    void whatASmallerCacheCannotHoldStaysUntilTheTierHasIt() {
        rig.open();
        rig.create(1);
        appendAndSettle(100);
        rig.container().resize(new MemoryShare(log(64 * KIB), 256 * KIB, 4 * MIB, 0));
        rig.settle();
        assertThat(stats().cacheCapacityBytes()).isEqualTo(4 * MIB);
        assertThat(stats().cacheUsedBytes()).isGreaterThan(9 * MIB);
        Waiting append = new Waiting(random(100, APPEND));
        rig.container().segments().executeAppend(append);
        rig.settle();
        assertThat(append.result).isEqualTo("waiting");

        flushing = true;
        for (int object = 0; object < 100; object++) {
            rig.pass(10_000);
            rig.settle();
        }
        assertThat(append.result).isEqualTo("durable");
        rig.pass(200_000);
        assertThat(stats().cacheUsedBytes()).isLessThanOrEqualTo(4 * MIB);
        for (int i : new int[] {0, 50, 99, 100}) {
            assertThat(rig.readAll(1, (long) i * APPEND, (i + 1L) * APPEND)).isEqualTo(random(i, APPEND));
        }
    }

    @Test
    void aLargerCacheHoldsMore() {
        rig.open();
        rig.create(1);
        rig.container().resize(new MemoryShare(log(64 * KIB), MIB, 32 * MIB, 0));
        rig.settle();
        for (int i = 0; i < 220; i++) {
            assertThat(rig.append(1, random(i, APPEND)).result).isNotEqualTo("failed");
            rig.settle();
        }
        rig.pass(200_000);
        assertThat(stats().cacheUsedBytes()).isGreaterThan(20 * MIB);
        assertThat(rig.container().segments().maxAppendBytes()).isEqualTo(MIB);
        rig.append(1, random(1, MIB));
        rig.settle();
    }

    @Test
    void framesAndTheLargestAppendFollow() throws Exception {
        rig.open();
        rig.create(1);
        appendAndSettle(5);
        rig.container().resize(new MemoryShare(log(4 * KIB), 128 * KIB, 4 * MIB, 0));
        rig.settle();
        assertThat(rig.container().segments().maxAppendBytes()).isEqualTo(128 * KIB);
        assertThatThrownBy(() -> rig.append(1, random(1, 200 * KIB))).isInstanceOf(IllegalArgumentException.class);
        long ledger = rig.wal.chain(ContainerRig.CONTAINER).getLast();
        int before = rig.wal.frames(ContainerRig.CONTAINER, ledger);
        rig.append(1, random(5, APPEND));
        rig.settle();
        assertThat(rig.wal.frames(ContainerRig.CONTAINER, ledger) - before).isGreaterThanOrEqualTo(APPEND / (4 * KIB));
        rig.container().resize(new MemoryShare(log(128 * KIB), 256 * KIB, 16 * MIB, 0));
        rig.append(1, random(6, APPEND));
        rig.settle();
        rig.open();
        for (int i = 0; i < 7; i++) {
            assertThat(rig.readAll(1, (long) i * APPEND, (i + 1L) * APPEND)).isEqualTo(random(i, APPEND));
        }
    }

    @Test
    void endsOnlyWhileItHoldsNothing() throws Exception {
        rig.open();
        rig.create(1);
        boolean[] told = new boolean[1];
        CompletableFuture<Integer> full = rig.container().closeIfEmpty(() -> told[0] = true);
        rig.settle();
        assertThat(full.get()).isEqualTo(1);
        assertThat(told[0]).isFalse();

        ContainerRig.Outcome deleted = new ContainerRig.Outcome();
        rig.container().segments().delete(1, deleted);
        CompletableFuture<Integer> empty = rig.container().closeIfEmpty(() -> told[0] = true);
        ContainerRig.Outcome late = new ContainerRig.Outcome();
        rig.container()
                .segments()
                .execute(LoopTask.of(
                        () -> {
                            throw new AssertionError("after the end");
                        },
                        why -> late.failed(why)));
        rig.settle();
        assertThat(empty.get()).isZero();
        assertThat(told[0]).isTrue();
        assertThat(late.result).isEqualTo("failed NotOwner");
        assertThat(rig.container().finished()).isTrue();
    }

    private void appendAndSettle(int count) {
        for (int i = 0; i < count; i++) {
            rig.append(1, random(i, APPEND));
            rig.settle();
        }
    }

    private ContainerStats stats() {
        rig.pass(200_000);
        return Objects.requireNonNull(rig.container().stats());
    }

    /** An append that waits for its turn. */
    private final class Waiting implements LoopTask, Durable {
        private final byte[] bytes;
        String result = "waiting";

        Waiting(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public void run() {
            ByteBuf data = Unpooled.wrappedBuffer(bytes);
            rig.container().segments().append(1, data, this);
        }

        @Override
        public void abandoned(StoreFailure why) {
            result = "abandoned";
        }

        @Override
        public void durable() {
            result = "durable";
        }

        @Override
        public void failed(StoreFailure why) {
            result = "failed";
        }
    }
}
