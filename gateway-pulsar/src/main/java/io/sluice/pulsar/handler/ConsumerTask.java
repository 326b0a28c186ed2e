package io.sluice.pulsar.handler;

import io.sluice.pulsar.connection.ClientConsumer;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import org.apache.pulsar.common.api.proto.ServerError;

/** Something a consumer asked for, on the loop of its partition. */
final class ConsumerTask implements LoopTask {
    /** For commands without an answer. */
    static final long NO_REQUEST = -1;

    /** On the loop, while the consumer is subscribed. */
    interface Work {
        void run(Subscription subscription);
    }

    private final Connection connection;
    private final ClientConsumer consumer;
    private final long requestId;
    private final Work work;
    private final Runnable tooLate;

    private ConsumerTask(Connection connection, ClientConsumer consumer, long requestId, Work work, Runnable tooLate) {
        this.connection = connection;
        this.consumer = consumer;
        this.requestId = requestId;
        this.work = work;
        this.tooLate = tooLate;
    }

    static void submit(Connection connection, ClientConsumer consumer, long requestId, Work work) {
        submit(connection, consumer, requestId, work, () -> {});
    }

    /** @param tooLate run instead if no answer is waited for and the consumer is not subscribed any more; any thread */
    static void submit(Connection connection, ClientConsumer consumer, long requestId, Work work, Runnable tooLate) {
        consumer.log().container().execute(new ConsumerTask(connection, consumer, requestId, work, tooLate));
    }

    @Override
    public void run() {
        if (consumer.consumer().isSubscribed()) {
            work.run(consumer.subscription());
        } else if (requestId != NO_REQUEST) {
            connection.error(requestId, ServerError.ServiceNotReady, "the consumer was closed meanwhile");
        } else {
            tooLate.run();
        }
    }

    @Override
    public void abandoned(StoreFailure why) {
        if (requestId != NO_REQUEST) {
            connection.error(requestId, ErrorMapping.of(why), why.message());
        } else {
            tooLate.run();
        }
    }
}
