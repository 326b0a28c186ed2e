package io.sluice.kafka.coordinator.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.kafka.coordinator.GroupCoordinators;
import io.sluice.kafka.subscription.SubscriptionGroup;
import java.util.ArrayList;
import java.util.List;

/**
 * Groups that a request names: those that are coordinated here now, and the others, which it refuses one by one.
 *
 * @param denied for which the client lacks the right
 * @param subscriptions which any node answers for
 */
record Served(List<String> here, List<String> elsewhere, List<String> denied, List<String> subscriptions) {
    static Served of(List<String> named, GroupCoordinators groups, Principal who, Operation operation) {
        Served all =
                new Served(new ArrayList<>(named.size()), new ArrayList<>(0), new ArrayList<>(0), new ArrayList<>(0));
        for (String group : named) {
            if (!GroupRights.allows(groups, who, operation, group)) {
                all.denied.add(group);
            } else if (SubscriptionGroup.isReserved(group)) {
                all.subscriptions.add(group);
            } else {
                (groups.serves(group) ? all.here : all.elsewhere).add(group);
            }
        }
        return all;
    }
}
