package io.sluice.pulsar.connection;

import io.sluice.broker.access.Principal;
import io.sluice.broker.identity.UserSubscriptions;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Consumers of one connection that are counted among its user's subscriptions. Event loop only. */
final class CountedConsumers {
    private final Login login;
    /** Names of their users, by consumer id. */
    private final Map<Long, String> users = new HashMap<>(4);

    CountedConsumers(Login login) {
        this.login = login;
    }

    /** Counts one to come; gives why it is refused, null if it is not. */
    @Nullable
    String open(long consumerId) {
        UserSubscriptions subscriptions = login.subscriptions();
        if (!subscriptions.isBounded()) {
            return null;
        }
        Principal who = login.principal();
        if (!subscriptions.open(who)) {
            return subscriptions.refusal();
        }
        users.put(consumerId, who.name());
        return null;
    }

    /** It is there no more, or has not come to be. */
    void close(long consumerId) {
        String user = users.remove(consumerId);
        if (user != null) {
            login.subscriptions().close(user);
        }
    }

    /** The connection is gone. */
    void closeAll() {
        users.values().forEach(login.subscriptions()::close);
        users.clear();
    }
}
