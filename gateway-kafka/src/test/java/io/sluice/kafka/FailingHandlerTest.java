package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.RequestContext;
import io.sluice.kafka.connection.ConnectionLimits;
import io.sluice.testing.ExpectedLog;
import java.io.EOFException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An Error in what a Netty loop does for one connection: that one closes, and the loop goes on with the others. */
@ExpectedLog({"closed: its loop's work for it failed", "RequestHeader(apiKey=LIST_TRANSACTIONS"})
class FailingHandlerTest {
    private static final ApiKeys KEY = ApiKeys.LIST_TRANSACTIONS;
    private static final short VERSION = 2;
    /** Longer than what has a timer of its own: left to the loop's sweep. */
    private static final int SWEPT_MILLIS = 2_001;

    private final ConcurrentLinkedQueue<Consumer<RequestContext>> handlers = new ConcurrentLinkedQueue<>();
    private TestGateway server;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway(ConnectionLimits.defaults(), List.of(new ApiHandler() {
            @Override
            public ApiKeys key() {
                return KEY;
            }

            @Override
            public void handle(RequestContext context, AbstractRequest request) {
                handlers.remove().accept(context);
            }
        }));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** A periodic task that throws is never run again: deadlines and limits of all connections of the loop would be gone. */
    @Test
    void theSweepOfALoopGoesOnAfterAnErrorInADeadline() throws Exception {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            clients.add(new RawClient(server.port)); // dealt to the two loops in turn
        }
        for (RawClient each : clients.subList(0, 2)) {
            handlers.add(context -> context.deadline(SWEPT_MILLIS, () -> {
                context.completeSilently();
                throw new NoClassDefFoundError("planted");
            }));
            assertThatThrownBy(() -> call(each)).isInstanceOf(EOFException.class);
        }
        for (RawClient each : clients.subList(2, 4)) {
            handlers.add(context ->
                    context.deadline(SWEPT_MILLIS, () -> context.complete(new ListTransactionsResponseData())));
            call(each);
        }
        for (RawClient each : clients) {
            each.close();
        }
        await().until(() -> server.gateway.requestMemoryUsed() == 0);
    }

    @Test
    void aHandlerThatFailsWithAnErrorLeavesNothingBehind() throws Exception {
        handlers.add(context -> {
            throw new NoClassDefFoundError("planted");
        });
        try (RawClient client = new RawClient(server.port)) {
            assertThatThrownBy(() -> call(client)).isInstanceOf(EOFException.class);
        }
        await().until(() -> server.gateway.requestMemoryUsed() == 0);
        assertThat(handlers).isEmpty();
    }

    /** Where the work of a request comes back to its loop: requests behind it would wait for ever. */
    @Test
    void anErrorAfterWorkElsewhereClosesTheConnection() throws Exception {
        AtomicInteger dropped = new AtomicInteger();
        handlers.add(context -> context.offLoop(Runnable::run, new RequestContext.OffLoop() {
            @Override
            public void run() {}

            @Override
            public void done() {
                throw new NoClassDefFoundError("planted");
            }

            @Override
            public void dropped() {
                dropped.incrementAndGet();
            }
        }));
        try (RawClient client = new RawClient(server.port)) {
            assertThatThrownBy(() -> call(client)).isInstanceOf(EOFException.class);
        }
        await().until(() -> server.gateway.requestMemoryUsed() == 0);
        assertThat(dropped).as("done was called, so dropped is not").hasValue(0);
    }

    private static void call(RawClient client) throws Exception {
        client.call(KEY, VERSION, new ListTransactionsRequestData());
    }
}
