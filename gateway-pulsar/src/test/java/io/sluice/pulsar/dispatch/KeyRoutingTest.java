package io.sluice.pulsar.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.pulsar.SilentOutlet;
import io.sluice.pulsar.format.StoredEntry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeyRoutingTest {
    private static Consumer consumer(String name, HashRange... ranges) {
        return new Consumer(
                new ConsumerIdentity(name.hashCode(), name, 0, List.of(ranges), Map.of()), new SilentOutlet(), -1, 0);
    }

    @Test
    void hashesSpreadAndOnlyMoveFromOrToTheConsumerThatChanges() {
        ConsistentHashes keys = new ConsistentHashes();
        Consumer a = consumer("a");
        Consumer b = consumer("b");
        Consumer c = consumer("c");
        assertThat(keys.select(1)).isNull();
        keys.add(a);
        keys.add(b);
        Map<Integer, Consumer> before = owners(keys);
        keys.add(c);
        Map<Consumer, Integer> shares = new HashMap<>();
        owners(keys).forEach((hash, owner) -> {
            shares.merge(owner, 1, Integer::sum);
            assertThat(owner == c || owner == before.get(hash)).isTrue();
        });
        assertThat(shares.values()).allSatisfy(n -> assertThat(n).isBetween(12_000, 32_000));
        keys.remove(c);
        assertThat(owners(keys)).isEqualTo(before);
    }

    @Test
    void rangesAreTheHashesThatAreSelected() {
        ConsistentHashes keys = new ConsistentHashes();
        List<Consumer> all = List.of(consumer("a"), consumer("b"), consumer("c"));
        assertThat(keys.rangesOf(all.getFirst())).isEmpty();
        all.forEach(keys::add);
        Map<Integer, Consumer> named = new HashMap<>();
        for (Consumer c : all) {
            for (HashRange r : keys.rangesOf(c)) {
                for (int hash = r.start(); hash <= r.end(); hash++) {
                    assertThat(named.put(hash, c)).isNull();
                }
            }
        }
        assertThat(named).isEqualTo(owners(keys));
        keys.remove(all.get(1));
        keys.remove(all.get(2));
        assertThat(keys.rangesOf(all.getFirst())).containsExactly(new HashRange(1, StoredEntry.HASHES));
    }

    @Test
    void equalNamesShareTheirKeys() {
        ConsistentHashes keys = new ConsistentHashes();
        Consumer one = consumer("same");
        Consumer two = consumer("same");
        keys.add(one);
        keys.add(two);
        assertThat(owners(keys).values()).contains(one, two);
        keys.remove(one);
        assertThat(owners(keys).values()).containsOnly(two);
    }

    private static Map<Integer, Consumer> owners(KeyRouting keys) {
        Map<Integer, Consumer> owners = new HashMap<>();
        for (int hash = 1; hash <= StoredEntry.HASHES; hash++) {
            Consumer owner = keys.select(hash);
            if (owner != null) {
                owners.put(hash, owner);
            }
        }
        return owners;
    }

    @Test
    void stickyRangesMustNotOverlap() {
        StickyHashes keys = new StickyHashes();
        Consumer low = consumer("low", new HashRange(0, 99), new HashRange(200, 299));
        assertThat(keys.add(low)).isNull();
        assertThat(keys.add(consumer("x", new HashRange(99, 120)))).contains("overlaps");
        assertThat(keys.add(consumer("x", new HashRange(50, 400)))).contains("overlaps");
        assertThat(keys.add(consumer("x", new HashRange(300, 310), new HashRange(250, 260))))
                .contains("overlaps");
        assertThat(keys.add(consumer("x", new HashRange(500, 510), new HashRange(520, 519))))
                .contains("empty or negative");
        assertThat(keys.select(505)).isNull();
        assertThat(keys.select(305)).isNull();
        assertThat(keys.add(consumer("none"))).contains("must name");
        Consumer mid = consumer("mid", new HashRange(100, 199));
        assertThat(keys.add(mid)).isNull();
        assertThat(keys.select(150)).isSameAs(mid);
        assertThat(keys.select(250)).isSameAs(low);
        assertThat(keys.select(400)).isNull();
        keys.remove(low);
        assertThat(keys.select(250)).isNull();
    }

    @Test
    void aHashIsClosedToOthersUntilItsHolderHasSettledAll() {
        HashesInFlight inFlight = new HashesInFlight();
        Consumer a = consumer("a");
        Consumer b = consumer("b");
        inFlight.sent(5, a);
        inFlight.sent(5, a);
        assertThat(inFlight.openTo(5, a)).isTrue();
        assertThat(inFlight.openTo(5, b)).isFalse();
        inFlight.settled(5);
        assertThat(inFlight.openTo(5, b)).isFalse();
        inFlight.settled(5);
        assertThat(inFlight.openTo(5, b)).isTrue();
    }
}
