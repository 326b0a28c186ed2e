package io.sluice.pulsar.handler;

import static io.sluice.broker.access.Right.cluster;
import static io.sluice.broker.access.Right.topic;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Right;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.pulsar.common.api.proto.BaseCommand.Type;

/**
 * Rights for which each command of a client asks, all that any may need. A right to a namespace is one to a topic. Commands about what the
 * connection has opened need none: that was asked for, and is looked at again while it is open. A command that is not here is not taken;
 * a test holds what handlers ask for against this table, and docs/security.md has it.
 */
public final class CommandRights {
    private static final Map<Type, SortedSet<Right>> TABLE = new EnumMap<>(Type.class);

    static {
        add(Type.LOOKUP, topic(Operation.DESCRIBE));
        add(Type.PARTITIONED_METADATA, topic(Operation.DESCRIBE));
        add(Type.GET_TOPICS_OF_NAMESPACE, topic(Operation.DESCRIBE));
        add(Type.WATCH_TOPIC_LIST, topic(Operation.DESCRIBE));
        add(Type.GET_SCHEMA, topic(Operation.DESCRIBE));
        add(Type.SCALABLE_TOPIC_LOOKUP, topic(Operation.DESCRIBE));
        add(Type.WATCH_TC_ASSIGNMENTS, topic(Operation.DESCRIBE));
        // with a subscription to begin with
        add(Type.PRODUCER, topic(Operation.WRITE), topic(Operation.READ));
        add(Type.GET_OR_CREATE_SCHEMA, topic(Operation.WRITE));
        add(Type.SUBSCRIBE, topic(Operation.READ));
        add(Type.SCALABLE_TOPIC_SUBSCRIBE, topic(Operation.READ));
        // in a transaction of another
        add(Type.ADD_PARTITION_TO_TXN, topic(Operation.WRITE), cluster(Operation.ALTER));
        add(Type.ADD_SUBSCRIPTION_TO_TXN, topic(Operation.READ), cluster(Operation.ALTER));
        add(Type.END_TXN, cluster(Operation.ALTER));
        addFree(Type.TC_CLIENT_CONNECT_REQUEST, Type.NEW_TXN);
        addFree(Type.CONNECT, Type.AUTH_RESPONSE, Type.PING, Type.PONG);
        addFree(Type.SEND, Type.CLOSE_PRODUCER);
        addFree(Type.FLOW, Type.ACK, Type.REDELIVER_UNACKNOWLEDGED_MESSAGES, Type.SEEK, Type.GET_LAST_MESSAGE_ID);
        addFree(Type.CONSUMER_STATS, Type.UNSUBSCRIBE, Type.CLOSE_CONSUMER);
        addFree(Type.SCALABLE_TOPIC_CLOSE, Type.WATCH_TC_ASSIGNMENTS_CLOSE, Type.WATCH_TOPIC_LIST_CLOSE);
        // refused for all, or taken for nothing
        addFree(Type.WATCH_SCALABLE_TOPICS, Type.WATCH_SCALABLE_TOPICS_CLOSE);
    }

    private CommandRights() {}

    private static void addFree(Type... commands) {
        Arrays.stream(commands).forEach(CommandRights::add);
    }

    private static void add(Type command, Right... rights) {
        TABLE.put(command, Collections.unmodifiableSortedSet(new TreeSet<>(Set.of(rights))));
    }

    /** Rights by command, for all that a client may send. */
    public static Map<Type, SortedSet<Right>> all() {
        return Collections.unmodifiableMap(TABLE);
    }
}
