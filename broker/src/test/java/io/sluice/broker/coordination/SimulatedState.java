package io.sluice.broker.coordination;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A state machine that is a map, and what transactions have written to it that does not count yet. */
final class SimulatedState {
    /** Null value: the key is deleted. */
    record Write(String key, @Nullable String value) {}

    private final Map<String, Held> held = new HashMap<>();
    private final Map<Long, List<Held>> undecided = new TreeMap<>();

    private record Held(Write write, long position) {}

    void write(Write write, long position, long transaction) {
        Held now = new Held(write, position);
        if (transaction == PlainRecords.NO_TRANSACTION) {
            counts(now);
        } else {
            undecided.computeIfAbsent(transaction, t -> new ArrayList<>()).add(now);
        }
    }

    void ended(long transaction, boolean committed) {
        List<Held> decided = undecided.remove(transaction);
        if (decided == null || !committed) {
            return;
        }
        for (Held each : decided) {
            Held before = held.get(each.write.key);
            if (before == null || before.position < each.position) {
                counts(each);
            }
        }
    }

    /** A tombstone has a position, too: what a transaction wrote before it does not come back with its commit. */
    private void counts(Held now) {
        held.put(now.write.key, now);
    }

    /** What is to be the same in a state that was loaded: positions are not. */
    Map<String, String> values() {
        Map<String, String> values = new TreeMap<>();
        held.forEach((key, now) -> {
            if (now.write.value != null) {
                values.put(key, now.write.value);
            }
        });
        undecided.forEach((transaction, all) -> values.put(
                "transaction " + transaction,
                all.stream().map(Held::write).toList().toString()));
        return values;
    }
}
