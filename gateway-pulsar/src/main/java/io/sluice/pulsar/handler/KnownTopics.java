package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;

/** Look-ups of topics that another node may have just made. */
final class KnownTopics {
    private KnownTopics() {}

    /** As {@link TopicAccess#whenKnown}, of a scalable topic, or a classic one of the name if there is none. On the event loop. */
    static void scalable(Connection c, Operation operation, TopicName name, Runnable then) {
        TopicAccess topics = c.services().topics();
        Parsed whole = new Parsed(name, -1);
        boolean known = c.services().scalable().find(name) != null
                || c.services().cluster().nodes().size() < 2
                || topics.find(c.principal(), operation, whole) instanceof Found.Denied;
        if (known) {
            then.run();
            return;
        }
        c.services()
                .scalable()
                .read(name)
                .whenComplete((now, why) ->
                        c.execute(() -> topics.whenKnown(c.principal(), operation, whole, c::execute, then)));
    }
}
