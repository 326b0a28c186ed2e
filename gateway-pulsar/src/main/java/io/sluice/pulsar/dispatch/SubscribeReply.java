package io.sluice.pulsar.dispatch;

import org.apache.pulsar.common.api.proto.ServerError;

/** Answer to {@code SubscriptionRoster.subscribe}. On the loop. */
public interface SubscribeReply {
    void subscribed(Subscription subscription);

    /**
     * Asked in the turn that makes a durable subscription. False if it is not to be made here: then this is not answered, and whoever
     * asked has it made, and asks again.
     */
    default boolean makesSubscription() {
        return true;
    }

    void refused(ServerError error, String message);
}
