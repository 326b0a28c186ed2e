package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.transactions.Participant;
import io.sluice.transactions.SingleTransaction;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionError;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/** Common parts of the commands of the transaction coordinator. */
final class TransactionCommands {
    private TransactionCommands() {}

    /** Participant of a partition. */
    static Participant participant(TopicAccess.Opened partition) {
        return participant(partition, null);
    }

    /** Participant of a subscription of the partition. */
    static Participant participant(TopicAccess.Opened partition, @Nullable String subscription) {
        return Participant.of(partition.topic().name(), Math.max(partition.partition(), 0), subscription);
    }

    /**
     * Participant of the partition of this name, or of a subscription of it. Its existence is not checked, as in Pulsar: nothing can be written to
     * one that is not there.
     *
     * @throws Refused it is no name, or not for this client to write to
     */
    static Participant participant(Connection c, Operation operation, String topic, @Nullable String subscription)
            throws Refused {
        try {
            PulsarNames.Parsed name = PulsarNames.parse(topic);
            if (c.services().topics().find(c.principal(), operation, name) instanceof TopicAccess.Found.Denied) {
                throw new Refused(ServerError.AuthorizationError, "Client is not authorized to use " + topic);
            }
            if (subscription != null
                    && !c.services().topics().allowsSubscription(c.principal(), name.topic(), subscription)) {
                throw new Refused(ServerError.AuthorizationError, TopicAccess.deniedSubscription(subscription));
            }
            return Participant.of(name.topic(), Math.max(name.partition(), 0), subscription);
        } catch (TopicException e) {
            throw new Refused(ErrorMapping.of(e.reason()), TopicAccess.messageOf(e));
        }
    }

    /**
     * Partitions or subscriptions that a client adds to a transaction.
     *
     * @param names as the client gave them, in the order of {@code participants}
     */
    record Added(List<Participant> participants, List<String> names) {
        Added() {
            this(new ArrayList<>(), new ArrayList<>());
        }

        /** @throws Refused as {@link TransactionCommands#participant} does */
        void add(Connection c, Operation operation, String topic, @Nullable String subscription) throws Refused {
            participants.add(participant(c, operation, topic, subscription));
            names.add(topic);
        }

        /** Complete when that is durable. */
        CompletableFuture<Void> to(Connection c, SingleTransaction transaction) {
            return c.services()
                    .transactions()
                    .add(transaction, c.transactions().user(), participants)
                    .thenAccept(done -> {
                        for (int i = 0; i < names.size(); i++) {
                            if (!names.get(i).contains("://")) {
                                c.services().givenNames().keep(transaction, participants.get(i), names.get(i));
                            }
                        }
                    });
        }
    }

    /** To be told to the client. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        private final ServerError error;
        private final String text;

        Refused(ServerError error, String text) {
            super(text, null, false, false);
            this.error = error;
            this.text = text;
        }

        ServerError error() {
            return error;
        }

        String text() {
            return text;
        }

        static Refused of(Throwable failure) {
            return of(TransactionAuthority.errorOf(failure));
        }

        static Refused of(TransactionError why) {
            return new Refused(
                    ErrorMapping.of(why),
                    switch (why) {
                        case NOT_COORDINATOR -> "this transaction coordinator is not served here";
                        case LOADING -> "the transaction coordinator is being loaded";
                        case UNAVAILABLE -> "the transaction coordinator cannot write now";
                        case UNKNOWN_PRODUCER, NOT_OWNER, UNKNOWN_ID, FENCED ->
                            "there is no such transaction, or no more";
                        case INVALID_STATE -> "the transaction is being ended, or in another way";
                        case CONCURRENT -> "too many calls wait for the end of the transaction";
                        case TOO_MANY_IDS -> "there are too many transactions";
                        case NOT_A_PARTICIPANT, INVALID_TIMEOUT, INVALID_REQUEST -> "the transaction cannot do this";
                        case FAILED -> "the transaction's state cannot be written: it is too large";
                    });
        }
    }
}
