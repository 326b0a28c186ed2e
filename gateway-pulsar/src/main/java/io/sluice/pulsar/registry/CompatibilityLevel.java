package io.sluice.pulsar.registry;

import io.sluice.pulsar.registry.format.ParsedSchema;
import io.sluice.pulsar.registry.format.SchemaTypes;
import io.sluice.pulsar.schema.TopicSchemas;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
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
     * Reasons why a schema may not follow others; empty if it may.
     *
     * @param before oldest first
     */
    List<String> whyNotFollow(List<Schema> before, ParsedSchema next) {
        return whyNotFollow(before, next, SchemaTypes::read);
    }

    private interface Reader {
        @Nullable
        ParsedSchema read(Schema schema);
    }

    private List<String> whyNotFollow(List<Schema> before, ParsedSchema next, Reader reader) {
        List<String> why = new ArrayList<>();
        if (this == NONE || before.isEmpty()) {
            return why;
        }
        for (Schema each : transitive ? before.reversed() : List.of(before.getLast())) {
            ParsedSchema earlier = reader.read(each);
            if (earlier == null || !earlier.type().equals(next.type())) {
                why.add("the type is " + next.type() + ", and that of an earlier schema is "
                        + (earlier == null ? each.getType() : earlier.type()));
                continue;
            }
            if (reads) {
                why.addAll(next.differencesFrom(earlier));
            }
            if (isRead) {
                why.addAll(earlier.differencesFrom(next));
            }
            if (why.size() >= MOST_REASONS) {
                break;
            }
        }
        return why.stream()
                .limit(MOST_REASONS)
                .map(CompatibilityLevel::shortened)
                .toList();
    }

    private static String shortened(String text) {
        return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT) + "...";
    }

    /** The level's rules for one schema. */
    TopicSchemas.Comparison comparing(ParsedSchema next) {
        Map<Schema, @Nullable ParsedSchema> read = new IdentityHashMap<>();
        return new TopicSchemas.Comparison() {
            private @Nullable ParsedSchema parsed(Schema schema) {
                if (!read.containsKey(schema)) {
                    read.put(schema, SchemaTypes.read(schema));
                }
                return read.get(schema);
            }

            @Override
            public boolean same(Schema there, Schema ofNext) {
                ParsedSchema other = parsed(there);
                return other != null && other.same(next);
            }

            @Override
            public @Nullable String whyNotFollow(List<Schema> before, Schema ofNext) {
                List<String> why = CompatibilityLevel.this.whyNotFollow(before, next, this::parsed);
                return why.isEmpty() ? null : String.join("; ", why.subList(0, Math.min(why.size(), 3)));
            }
        };
    }
}
