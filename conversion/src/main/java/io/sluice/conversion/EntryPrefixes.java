package io.sluice.conversion;

import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Prefixes of the schemas of one entry's topic, which are asked for when a message has one. One thread. */
final class EntryPrefixes {
    private final PrefixSource source;
    private final UUID topic;
    private final UnaryOperator<Waiting> waiting;
    private @Nullable TopicPrefixes used;

    /** Something that waits. */
    interface Waiting {
        TopicPrefixes get();
    }

    /** @param waiting makes of a question that blocks one that may be asked while the entry is converted */
    EntryPrefixes(PrefixSource source, UUID topic, UnaryOperator<Waiting> waiting) {
        this.source = source;
        this.topic = topic;
        this.waiting = waiting;
    }

    /** For entries of a topic without a registry. */
    static EntryPrefixes none() {
        return of(TopicPrefixes.NONE);
    }

    static EntryPrefixes of(TopicPrefixes prefixes) {
        PrefixSource fixed = new PrefixSource() {
            @Override
            public TopicPrefixes known(UUID topic) {
                return prefixes;
            }

            @Override
            public TopicPrefixes read(UUID topic) {
                return prefixes;
            }
        };
        return new EntryPrefixes(fixed, new UUID(0, 0), how -> how);
    }

    /** Prefixes that had a say in what the entry became; null if none was asked for. */
    @Nullable
    TopicPrefixes used() {
        return used;
    }

    private TopicPrefixes use() {
        if (used == null) {
            TopicPrefixes known = source.known(topic);
            used = known == null ? read() : known;
        }
        return used;
    }

    private TopicPrefixes read() {
        return waiting.apply(() -> source.read(topic)).get();
    }

    /** The prefix to be taken off a Kafka record's value; null if it stays as it is. */
    TopicPrefixes.@Nullable Found find(ByteBuffer value) {
        int id = SchemaPrefix.idOf(value);
        if (id == 0 || use().use() == TopicPrefixes.Use.KEEP) {
            return null;
        }
        if (use().mayHave(id)) {
            used = read();
        }
        return use().find(value);
    }

    /** Prefix for contents of a Pulsar message with this schema version; null if they stay as they are. */
    @Nullable
    SchemaPrefix toPutBefore(byte[] version) {
        return use().use() == TopicPrefixes.Use.FOR_BOTH ? ofVersion(version) : null;
    }

    /** Prefix of the topic's schema of this version; null if it has none. */
    @Nullable
    SchemaPrefix ofVersion(byte[] bytes) {
        long version = TopicPrefixes.version(bytes);
        if (version < 0 || use().use() == TopicPrefixes.Use.KEEP) {
            return null;
        }
        if (use().mayHaveVersion(version)) {
            used = read();
        }
        return use().ofVersion(version);
    }
}
