package io.sluice.perf.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is measured is right: every cache gives back the bytes it was given. */
class CacheContractTest {
    private static final int ENTRY_BYTES = 10_000;
    private static final Room ROOM = new Room(300, 300, ENTRY_BYTES);

    private final Payload payload = new Payload(ENTRY_BYTES);
    private final byte[] destination = new byte[ENTRY_BYTES];

    @ParameterizedTest
    @EnumSource
    void givesBackWhatWasInserted(Contestant contestant) {
        try (CacheUnderTest cache = contestant.open(ROOM)) {
            insert(cache, 0, ROOM.keys());
            assertHolds(cache, 0, ROOM.keys());
        }
    }

    @ParameterizedTest
    @EnumSource
    void reusesTheRoomOfDeletedEntries(Contestant contestant) {
        try (CacheUnderTest cache = contestant.open(ROOM)) {
            insert(cache, 0, ROOM.keys());
            for (int round = 0; round < 5; round++) {
                for (int key = 100; key < 200; key++) {
                    cache.delete(key);
                }
                insert(cache, 100, 200);
            }
            assertHolds(cache, 0, ROOM.keys());
        }
    }

    @ParameterizedTest
    @EnumSource
    void isEmptyOnceCleared(Contestant contestant) {
        try (CacheUnderTest cache = contestant.open(ROOM)) {
            insert(cache, 0, ROOM.keys());
            cache.clear();
            insert(cache, 0, ROOM.keys());
            assertHolds(cache, 0, ROOM.keys());
        }
    }

    @ParameterizedTest
    @EnumSource
    void goesThroughTheRandomPlan(Contestant contestant) {
        RandomPlan plan = RandomPlan.of(1_000);
        try (CacheUnderTest cache = contestant.open(plan.room(ENTRY_BYTES))) {
            plan.run(cache, payload);
            cache.clear();
            plan.run(cache, payload);
        }
    }

    private void insert(CacheUnderTest cache, int from, int to) {
        for (int key = from; key < to; key++) {
            payload.insertInto(cache, key);
        }
    }

    private void assertHolds(CacheUnderTest cache, int from, int to) {
        for (int key = from; key < to; key++) {
            Arrays.fill(destination, (byte) 0);
            assertThat(cache.get(key, destination)).isEqualTo(ENTRY_BYTES);
            int offset = payload.offset(key);
            assertThat(Arrays.equals(destination, 0, ENTRY_BYTES, payload.bytes(), offset, offset + ENTRY_BYTES))
                    .as("entry %d", key)
                    .isTrue();
        }
    }
}
