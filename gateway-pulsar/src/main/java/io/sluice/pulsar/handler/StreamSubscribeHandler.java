package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.PulsarNames.Sought;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.scalable.Controllers.Controller;
import io.sluice.pulsar.scalable.StreamMember;
import io.sluice.pulsar.scalable.StreamMember.Assignment;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import org.apache.pulsar.common.api.proto.CommandScalableTopicSubscribe;
import org.apache.pulsar.common.api.proto.ScalableConsumerAssignment;
import org.apache.pulsar.common.api.proto.ScalableConsumerType;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * SCALABLE_TOPIC_SUBSCRIBE: registers a stream consumer, answers with its segments, and tells it when they change, until the
 * connection ends. It then reads each by an exclusive consumer of the segment. All of this is done by one node, the topic's controller:
 * when another one becomes that, the connection is closed, for there is no other way to have the client look for it.
 *
 * <p>Differences on purpose: a segment goes to another consumer only when the one that had it has let go of it; a consumer
 * that attaches to nothing of what it has is passed over after the grace, though its connection lives (the client sends
 * nothing when a stream consumer is closed). Classic topics, and groups of checkpoint consumers, are refused.
 */
final class StreamSubscribeHandler {
    static final int MAX_SESSIONS = 1_000;
    /** For another node to recover what a dead one served. */
    private static final long CONTROLLER_MILLIS = 10_000;

    private final Connection connection;
    private final long requestId;
    private final long consumerId;
    private final TopicName topic;
    private boolean answered;

    private StreamSubscribeHandler(Connection connection, CommandScalableTopicSubscribe command, TopicName topic) {
        this.connection = connection;
        this.requestId = command.getRequestId();
        this.consumerId = command.getConsumerId();
        this.topic = topic;
    }

    static void handle(Connection c, CommandScalableTopicSubscribe command) {
        try {
            Sought name = PulsarNames.parseScalable(command.getTopic());
            String why = fault(c, command);
            if (why != null) {
                fail(c, command.getRequestId(), ServerError.NotAllowedError, why);
                return;
            }
            var subscribing = new StreamSubscribeHandler(c, command, name.topic());
            String subscription = command.getSubscription();
            String consumer = command.getConsumerName();
            KnownTopics.scalable(c, Operation.READ, name.topic(), () -> subscribing.join(subscription, consumer));
        } catch (TopicException e) {
            fail(c, command.getRequestId(), ErrorMapping.of(e.reason()), TopicAccess.messageOf(e));
        }
    }

    private static @Nullable String fault(Connection c, CommandScalableTopicSubscribe command) {
        if (command.getConsumerType() != ScalableConsumerType.STREAM) {
            return "groups of checkpoint consumers are not supported";
        }
        if (command.getSubscription().isEmpty() || command.getConsumerName().isEmpty()) {
            return "a stream consumer and its subscription need names";
        }
        return fault(c, command.getConsumerId());
    }

    private static @Nullable String fault(Connection c, long consumerId) {
        if (c.attached().streamMembers().containsKey(consumerId)) {
            return "the consumer " + consumerId + " is registered already";
        }
        if (c.attached().streamMembers().size() >= MAX_SESSIONS) {
            return "a connection has " + MAX_SESSIONS + " stream consumers at most";
        }
        return null;
    }

    private void join(String subscription, String consumer) {
        TopicAccess topics = connection.services().topics();
        Found found = topics.find(connection.principal(), Operation.READ, new Parsed(topic, -1));
        if (found instanceof Found.Denied) {
            fail(connection, requestId, ServerError.AuthorizationError, SubscribeHandler.DENIED);
        } else if (!topics.allowsSubscription(connection.principal(), topic, subscription)) {
            fail(connection, requestId, ServerError.AuthorizationError, TopicAccess.deniedSubscription(subscription));
        } else if (connection.services().scalable().find(topic) == null) {
            fail(
                    connection,
                    requestId,
                    ServerError.TopicNotFound,
                    "Scalable topic not found: " + PulsarNames.ofScalable(topic));
        } else {
            connection.attached().waits().add(last -> join(subscription, consumer, last), CONTROLLER_MILLIS);
        }
    }

    /** Whether the client is answered, or will be. */
    private boolean join(String subscription, String consumer, boolean last) {
        switch (connection.services().controllers().of(topic)) {
            case Controller.Here here -> register(subscription, consumer);
            case Controller.Elsewhere there ->
                fail(
                        connection,
                        requestId,
                        ServerError.ServiceNotReady,
                        "another node shares the segments out now: look the topic up again");
            case Controller.Unknown none -> {
                if (!last) {
                    return false;
                }
                fail(
                        connection,
                        requestId,
                        ServerError.ServiceNotReady,
                        "no node shares the segments out now: look the topic up again");
            }
        }
        return true;
    }

    private void register(String subscription, String consumer) {
        String why = fault(connection, consumerId);
        StreamMember member = why != null
                ? null
                : connection
                        .services()
                        .streams()
                        .join(topic, subscription, consumer, () -> connection.execute(this::tell));
        if (member != null) {
            connection.attached().streamMembers().put(consumerId, member);
        } else if (why != null) {
            fail(connection, requestId, ServerError.NotAllowedError, why);
        } else {
            fail(
                    connection,
                    requestId,
                    ServerError.ConsumerBusy,
                    "the subscription has as many stream consumers as it can have");
        }
    }

    /** On the event loop. */
    private void tell() {
        StreamMember member = connection.attached().streamMembers().get(consumerId);
        ScalableTopic now = connection.services().scalable().find(topic);
        if (member == null || !connection.isOpen()) {
            return;
        }
        if (member.hasMoved()) {
            leave(member);
            return;
        }
        Assignment assignment = member.assignment();
        if (assignment == null) {
            return;
        }
        if (now == null) {
            gone();
            return;
        }
        ScalableConsumerAssignment told = new ScalableConsumerAssignment().setLayoutEpoch(assignment.epoch());
        assignment
                .segments()
                .forEach(s -> told.addSegment()
                        .setSegmentId(s.id())
                        .setHashStart(s.range().start())
                        .setHashEnd(s.range().end())
                        .setSegmentTopic(PulsarNames.text(now.place(s))));
        if (answered) {
            connection.send(Commands.newScalableTopicAssignmentUpdate(consumerId, told));
        } else {
            answered = true;
            connection.send(Commands.newScalableTopicSubscribeResponse(requestId, told));
        }
    }

    /** Has the client register at the topic's next controller, which it looks for when its connection is gone. */
    private void leave(StreamMember member) {
        connection.attached().streamMembers().remove(consumerId);
        member.close();
        if (answered) {
            connection.channel().close();
        } else {
            fail(
                    connection,
                    requestId,
                    ServerError.ServiceNotReady,
                    "another node shares the segments out now: look the topic up again");
        }
    }

    /** As in Pulsar a topic that is deleted later is not mentioned: its segments are gone. */
    private void gone() {
        StreamMember member =
                answered ? null : connection.attached().streamMembers().remove(consumerId);
        if (member != null) {
            member.close();
            fail(connection, requestId, ServerError.TopicNotFound, "the topic was deleted");
        }
    }

    private static void fail(Connection c, long requestId, ServerError error, String message) {
        c.send(Commands.newScalableTopicSubscribeError(requestId, error, message));
    }
}
