package io.sluice.pulsar.websocket;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;

/**
 * Path of a socket: {@code /ws/v2/KIND/DOMAIN/TENANT/NAMESPACE/TOPIC}, and for a consumer {@code /SUBSCRIPTION}.
 *
 * @param topic full name
 * @param subscription empty for producers and readers
 */
record SocketPath(Kind kind, boolean persistent, String topic, PulsarNames.Parsed name, String subscription) {
    /** Purpose of a socket. */
    enum Kind {
        PRODUCER,
        CONSUMER,
        READER
    }

    private static final int TENANT = 5;
    private static final int SUBSCRIPTION = 8;

    /** @param path that one of the routes has matched */
    static SocketPath of(Kind kind, String path) throws BadRequestException {
        String[] parts = path.split("/", -1);
        boolean persistent = parts[TENANT - 1].equals("persistent");
        String topic = parts[TENANT - 1] + "://" + decoded(parts[TENANT]) + "/" + decoded(parts[TENANT + 1]) + "/"
                + decoded(parts[TENANT + 2]);
        String subscription = kind == Kind.CONSUMER ? decoded(parts[SUBSCRIPTION]) : "";
        if (kind == Kind.CONSUMER && subscription.isEmpty()) {
            throw new BadRequestException("Empty subscription name");
        }
        try {
            PulsarNames.Parsed name = persistent ? PulsarNames.parse(topic) : PulsarNames.parseNonPersistent(topic);
            return new SocketPath(kind, persistent, topic, name, subscription);
        } catch (TopicException e) {
            throw new BadRequestException("Invalid topic name " + topic);
        }
    }

    /** Name of a partition of the topic. */
    String partition(int index) {
        return topic + "-partition-" + index;
    }

    private static String decoded(String part) throws BadRequestException {
        try {
            return URLDecoder.decode(part, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("Invalid path");
        }
    }
}
