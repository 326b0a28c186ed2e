package io.sluice.pulsar.registry;

import io.sluice.pulsar.registry.format.ParsedSchema;
import io.sluice.pulsar.schema.TopicSchemas;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.common.api.proto.Schema;
import org.jspecify.annotations.Nullable;

/** How a schema must agree with those before it: the newest, or all. */
enum CompatibilityLevel {
    NONE(false, false, false),
    BACKWARD(true, false, false),
    BACKWARD_TRANSITIVE(true, false, true),
    FORWARD(false, true, false),
    FORWARD_TRANSITIVE(false, true, true),
    FULL(true, true, false),
    FULL_TRANSITIVE(true, true, true);

    private static final int MOST_REASONS = 100;
    /** Reasons in one message. */
    private static final int MOST_TOLD = 3;

    private static final int MAX_TEXT = 500;

    private final boolean reads;
    private final boolean isRead;
    private final boolean transitive;

    CompatibilityLevel(boolean reads, boolean isRead, boolean transitive) {
        this.reads = reads;
        this.isRead = isRead;
        this.transitive = transitive;
    }

    /**
     * Reasons why a schema may not follow others: those of the newest that it may not follow. Empty if it may.
     *
     * @param before oldest first
     */
    List<String> whyNotFollow(List<Schema> before, ParsedSchema next, ParsedSchemas parsed) {
        if (this == NONE || before.isEmpty()) {
            return List.of();
        }
        for (Schema each : transitive ? before.reversed() : List.of(before.getLast())) {
            List<String> why = whyNotFollow(each, parsed.read(each), next);
            if (!why.isEmpty()) {
                return why.stream()
                        .limit(MOST_REASONS)
                        .map(CompatibilityLevel::shortened)
                        .toList();
            }
        }
        return List.of();
    }

    private List<String> whyNotFollow(Schema stored, @Nullable ParsedSchema earlier, ParsedSchema next) {
        if (earlier == null || !earlier.type().equals(next.type())) {
            return List.of("the type is " + next.type() + ", and that of an earlier schema is "
                    + (earlier == null ? stored.getType() : earlier.type()));
        }
        List<String> why = new ArrayList<>();
        if (reads) {
            why.addAll(next.differencesFrom(earlier));
        }
        if (isRead) {
            why.addAll(earlier.differencesFrom(next));
        }
        return why;
    }

    private static String shortened(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "...";
    }

    /** The level's rules for one schema. */
    TopicSchemas.Comparison comparing(ParsedSchema next, ParsedSchemas parsed) {
        return new TopicSchemas.Comparison() {
            @Override
            public boolean same(Schema there, Schema ofNext) {
                ParsedSchema other = parsed.read(there);
                return other != null && other.same(next);
            }

            @Override
            public @Nullable String whyNotFollow(List<Schema> before, Schema ofNext) {
                List<String> why = CompatibilityLevel.this.whyNotFollow(before, next, parsed);
                return why.isEmpty() ? null : String.join("; ", why.subList(0, Math.min(why.size(), MOST_TOLD)));
            }
        };
    }
}
