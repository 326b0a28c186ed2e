package io.sluice.conformance;

import io.sluice.conformance.clients.PulsarClients;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pulsar.client.api.BatchReceivePolicy;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Messages;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.transaction.Transaction;

/**
 * Consumes, transforms, produces until it is killed, each turn as one transaction of its results and its acknowledgements. It need not
 * know how a turn ended that failed: what that acknowledged does not come again, or comes again when the transaction is aborted.
 *
 * <p>Usage: {@code PulsarPipe URL FROM TO SUBSCRIPTION TYPE}.
 */
final class PulsarPipe {
    /** How long it takes until what a killed pipe had acknowledged comes again. */
    private static final int TRANSACTION_SECONDS = 5;

    private static final int PATIENCE_SECONDS = 30;
    private static final int MOST_IN_A_TURN = 20;

    private final PulsarClient client;
    private final String from;
    private final String subscription;
    private final SubscriptionType type;
    private final Producer<String> producer;
    private Consumer<String> consumer;

    private PulsarPipe(PulsarClient client, String from, String to, String subscription, SubscriptionType type)
            throws PulsarClientException {
        this.client = client;
        this.from = from;
        this.subscription = subscription;
        this.type = type;
        // Transactions want it without a limit.
        this.producer = client.newProducer(Schema.STRING)
                .topic(to)
                .sendTimeout(0, TimeUnit.SECONDS)
                .create();
        this.consumer = subscribe();
    }

    private Consumer<String> subscribe() throws PulsarClientException {
        return client.newConsumer(Schema.STRING)
                .topic(from)
                .subscriptionName(subscription)
                .subscriptionType(type)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .enableBatchIndexAcknowledgment(true)
                .batchReceivePolicy(BatchReceivePolicy.builder()
                        .maxNumMessages(MOST_IN_A_TURN)
                        .timeout(50, TimeUnit.MILLISECONDS)
                        .build())
                .subscribe();
    }

    public static void main(String[] arguments) throws PulsarClientException {
        PulsarClient client = PulsarClients.builder(arguments[0])
                .enableTransaction(true)
                .startingBackoffInterval(50, TimeUnit.MILLISECONDS)
                .maxBackoffInterval(200, TimeUnit.MILLISECONDS)
                .build();
        var type = SubscriptionType.valueOf(arguments[4]);
        var pipe = new PulsarPipe(client, arguments[1], arguments[2], arguments[3], type);
        while (true) {
            Messages<String> messages = pipe.consumer.batchReceive();
            if (messages.size() > 0) {
                pipe.turn(messages);
            }
        }
    }

    private void turn(Messages<String> messages) throws PulsarClientException {
        try {
            Transaction open = client.newTransaction()
                    .withTransactionTimeout(TRANSACTION_SECONDS, TimeUnit.SECONDS)
                    .build()
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            try {
                transaction(open, messages);
            } catch (ExecutionException | TimeoutException e) {
                // It may have ended; if not, and if the abort does not arrive, the time-out ends it.
                open.abort().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                throw e;
            }
        } catch (ExecutionException | TimeoutException e) {
            System.out.println("again: " + e);
            giveBack();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * What was received comes again. A failover consumer begins anew: its client (4.2.4) gets nothing any more once it has given back while it
     * was about to subscribe after a crash (apache/pulsar#20032).
     */
    private void giveBack() throws PulsarClientException {
        if (type == SubscriptionType.Shared) {
            consumer.redeliverUnacknowledgedMessages();
        } else {
            consumer.close();
            consumer = subscribe();
        }
    }

    private void transaction(Transaction open, Messages<String> messages)
            throws InterruptedException, ExecutionException, TimeoutException {
        List<CompletableFuture<?>> done = new ArrayList<>();
        for (Message<String> message : messages) {
            done.add(producer.newMessage(open)
                    .key(message.getKey())
                    .value(message.getValue())
                    .sendAsync());
            done.add(consumer.acknowledgeAsync(message.getMessageId(), open));
        }
        CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        open.commit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
}
