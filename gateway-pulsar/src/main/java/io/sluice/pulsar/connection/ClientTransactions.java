package io.sluice.pulsar.connection;

import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.pulsar.services.GatewayServices;
import io.sluice.transactions.Participant;
import io.sluice.transactions.SingleTransaction;
import io.sluice.transactions.TransactionError;
import io.sluice.transactions.TransactionUser;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Client of a connection as a user of transactions. Any thread. */
public final class ClientTransactions implements SendVerification.Coordinator {
    private final GatewayServices services;
    private final Supplier<Principal> principal;

    ClientTransactions(GatewayServices services, Supplier<Principal> principal) {
        this.services = services;
        this.principal = principal;
    }

    /** Owner of what the client begins; null if nobody knows who it is. */
    public @Nullable String owner() {
        Principal who = principal.get();
        return who.authentication() == Authentication.NONE ? null : TransactionUser.ownerOf(who.name());
    }

    /** Transactions of others are, as in Pulsar, for those alone who may alter the cluster. To anybody else they are not there. */
    public TransactionUser user() {
        String self = owner();
        return owner -> owner.equals(self) || services.topics().allowsOnCluster(principal.get(), Operation.ALTER);
    }

    /** Name of the client, as {@link TransactionUser#named} takes it. */
    public @Nullable String name() {
        if (usesAll()) {
            return null;
        }
        String self = owner();
        return self == null ? "" : self;
    }

    @Override
    public boolean usesAll() {
        return services.topics().allowsAllTransactions(principal.get());
    }

    /** One that belongs to another user is answered as if it were not there, and written down. */
    @Override
    public void verify(
            SingleTransaction transaction, Participant partition, Consumer<@Nullable TransactionError> answer) {
        services.transactions().verify(transaction, name(), partition, why -> {
            if (why == TransactionError.NOT_OWNER) {
                services.topics()
                        .refusedTransaction(
                                principal.get(),
                                partition.subscription() != null,
                                transaction.coordinator(),
                                transaction.number());
            }
            answer.accept(why == TransactionError.NOT_OWNER ? TransactionError.UNKNOWN_PRODUCER : why);
        });
    }
}
