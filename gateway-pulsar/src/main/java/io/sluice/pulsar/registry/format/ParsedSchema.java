package io.sluice.pulsar.registry.format;

import java.util.List;
import org.apache.pulsar.common.api.proto.Schema;

/** A schema of any type, with what it refers to. */
public interface ParsedSchema {
    /** By the name that clients use: {@code AVRO}, {@code JSON}, {@code PROTOBUF}. */
    String type();

    /** As clients get it. */
    String text();

    /** The same text for schemas that mean the same. */
    String normalized();

    /** Text by which its id is found. */
    String key();

    /** Whether the text says it all: it needs nothing but what every reader has. */
    boolean standsAlone();

    /** As a topic's schema, with all that it refers to. */
    Schema stored(String name);

    /** Whether both mean the same, with what they refer to; false if they are of two types. */
    boolean same(ParsedSchema other);

    /**
     * Reasons why readers with this schema cannot read what was written with the other, which is of the same type; empty if they can. One is that
     * it takes more than the bounds to tell.
     */
    List<String> differencesFrom(ParsedSchema writer);

    /** In a form that clients ask for by name; {@link #text()} if the type has none of that name. */
    String in(String form);
}
