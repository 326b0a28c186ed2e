package io.sluice.pulsar.websocket;

import java.util.UUID;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionMode;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a consumer or a reader, as its handshake gives them.
 *
 * @param durable false for readers and consumers that ask for it
 * @param start message after which a reader begins; null if {@code earliest} says it
 * @param window messages that may be with the client before it acknowledges some
 * @param pull whether the client asks for messages, in place of that
 * @param ackTimeout milliseconds after which what is not acknowledged comes again; 0 for never
 * @param redeliveryDelay milliseconds after which what is refused comes again
 * @param showsEncrypted whether the client gets messages that are encrypted, to decrypt them itself
 * @param maxRedeliveries after which a message goes to {@code deadLetterTopic}; -1 for never
 */
record ConsumerSettings(
        boolean reader,
        String subscription,
        SubType type,
        boolean durable,
        boolean earliest,
        @Nullable MessageIdData start,
        String name,
        int priority,
        int window,
        boolean pull,
        long ackTimeout,
        long redeliveryDelay,
        boolean showsEncrypted,
        int maxRedeliveries,
        String deadLetterTopic) {
    private static final int MOST_MESSAGES = 1_000;
    private static final long LEAST_ACK_TIMEOUT = 1_000;
    private static final long REDELIVERY_DELAY = 60_000;

    static ConsumerSettings consumer(String topic, String subscription, Parameters given) throws BadRequestException {
        SubscriptionType type = given.choice("subscriptionType", SubscriptionType.class, SubscriptionType.Exclusive);
        SubscriptionMode mode = given.choice("subscriptionMode", SubscriptionMode.class, SubscriptionMode.Durable);
        SubscriptionInitialPosition position = given.choice(
                "subscriptionInitialPosition", SubscriptionInitialPosition.class, SubscriptionInitialPosition.Latest);
        return new ConsumerSettings(
                false,
                subscription,
                SubType.valueOf(type.name()),
                mode == SubscriptionMode.Durable,
                position == SubscriptionInitialPosition.Earliest,
                null,
                given.has("consumerName") ? String.valueOf(given.text("consumerName")) : random(5),
                given.number("priorityLevel", 0, 0, Integer.MAX_VALUE),
                window(given),
                given.flag("pullMode"),
                given.has("ackTimeoutMillis") && given.number("ackTimeoutMillis", 0, 0, Integer.MAX_VALUE) > 0
                        ? given.number("ackTimeoutMillis", 0L, LEAST_ACK_TIMEOUT, Integer.MAX_VALUE)
                        : 0,
                given.number("negativeAckRedeliveryDelay", REDELIVERY_DELAY, 0, Integer.MAX_VALUE),
                showsEncrypted(given),
                maxRedeliveries(type, given),
                given.has("deadLetterTopic")
                        ? String.valueOf(given.text("deadLetterTopic"))
                        : topic + "-" + subscription + "-DLQ");
    }

    static ConsumerSettings reader(Parameters given) throws BadRequestException {
        String from = given.text("messageId");
        boolean earliest = "earliest".equals(from);
        boolean latest = from == null || from.isBlank() || from.equals("latest");
        return new ConsumerSettings(
                true,
                "reader-" + random(10),
                SubType.Exclusive,
                false,
                earliest,
                earliest || latest ? null : MessageIdText.parse(String.valueOf(from)),
                given.has("readerName") ? String.valueOf(given.text("readerName")) : random(5),
                0,
                window(given),
                false,
                0,
                0,
                showsEncrypted(given),
                -1,
                "");
    }

    /** As with Pulsar's client: of kinds that deliver messages one by one, and with the count, or the topic alone not without it. */
    private static int maxRedeliveries(SubscriptionType type, Parameters given) throws BadRequestException {
        boolean oneByOne = type == SubscriptionType.Shared || type == SubscriptionType.Key_Shared;
        if (!given.has("maxRedeliverCount")) {
            if (given.has("deadLetterTopic")) {
                throw new BadRequestException("MaxRedeliverCount must be > 0.");
            }
            return -1;
        }
        int most = given.number("maxRedeliverCount", 0, 1, Integer.MAX_VALUE);
        return oneByOne ? most : -1;
    }

    private static String random(int letters) {
        return UUID.randomUUID().toString().replace("-", "").substring(0, letters);
    }

    private static int window(Parameters given) throws BadRequestException {
        int asked = given.number("receiverQueueSize", MOST_MESSAGES, 0, Integer.MAX_VALUE);
        return Math.clamp(asked, 1, MOST_MESSAGES);
    }

    private static boolean showsEncrypted(Parameters given) {
        return "CONSUME".equals(given.text("cryptoFailureAction"));
    }
}
